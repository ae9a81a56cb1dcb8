#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_call.hpp>
#include <kubist/state/agent.hpp>
#include <kubist/state/exports.hpp>
#include <kubist/state/store.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

namespace kubist::state {
namespace {

using data::Json;
using util::ErrorKind;

const kube::ApiResource& secrets() { return kube::well_known::secrets(); }

/// Reads the export Secret, checks that it is this job's, and hands it to `change`; the update
/// carries the resourceVersion that was read, so a job that took over in between wins.
template <class Change>
util::Result<> update(kube::Client& client, const CollectOptions& options,
                      const std::stop_token& stop, const Change& change) {
  const std::string& name = options.export_secret;
  KUBIST_TRY(Json secret, client.json(kube::get(secrets(), options.ns, name), stop));
  const auto job = data::string_at(secret, {"metadata", "annotations", k_job_annotation});
  if (job != options.job) {
    return util::fail(
        ErrorKind::conflict,
        util::cat("Secret ", name, " belongs to job ", job, " by now, not to ", options.job),
        "A newer run of the item has started; this one must not write any more.");
  }
  change(secret);
  KUBIST_CHECK(
      client.run(kube::replace(secrets(), secret, {.field_manager = "kubist-agent"}), stop));
  return {};
}

util::Result<Json> read_schema(const std::filesystem::path& path) {
  if (path.empty()) {
    return Json();
  }
  KUBIST_TRY(const std::string text, util::read_file(path, k_max_exports));
  return data::parse_json(text, path.string());
}

std::string first_line(const util::Error& error) {
  std::string text = error.to_string();
  return util::replace_all(text, "\n", " ");
}

util::Result<> collect_state(kube::Client& client, const CollectOptions& options, Mark& mark,
                             const std::stop_token& stop) {
  const StateSecrets place{options.ns, options.state_secret};
  const SaveOptions save{.job = options.job, .limit = options.state_limit};
  const auto saved = save_state(client, place, options.out / k_state_dir, save, stop);
  if (saved) {
    mark.state_generation = saved->generation;
  } else if (saved.error().kind == ErrorKind::conflict) {
    return util::fail(saved.error());
  } else {
    mark.state_error = first_line(saved.error());
  }
  return {};
}

}  // namespace

util::Result<Mark> collect(kube::Client& client, const CollectOptions& options,
                           std::stop_token stop) {
  Mark mark;
  mark.job = options.job;
  if (!options.state_secret.empty()) {
    KUBIST_CHECK(collect_state(client, options, mark, stop));
  }

  std::string bytes;
  auto schema = read_schema(options.schema);
  auto exports = schema ? read_exports(options.out, k_exports_file, *schema)
                        : util::Result<Exports>(util::fail(schema.error()));
  if (exports) {
    mark.exports_sha256 = exports->sha256;
    bytes = std::move(exports->bytes);
  } else {
    mark.exports_error = first_line(exports.error());
  }
  KUBIST_CHECK(update(client, options, stop, [&](Json& secret) {
    secret["metadata"]["annotations"][std::string(k_mark_annotation)] = to_text(mark);
    if (mark.exports_error.empty()) {
      secret["data"] = {{k_export_key, util::base64_encode(bytes)}};
    }
  }));
  return mark;
}

}  // namespace kubist::state
