#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_call.hpp>
#include <kubist/state/agent.hpp>
#include <kubist/state/archive.hpp>
#include <kubist/state/exports.hpp>
#include <kubist/state/head.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

namespace kubist::state {
namespace {

using data::Json;
using util::ErrorKind;

const kube::ApiResource& secrets() { return kube::well_known::secrets(); }

/// Reads the Secret, checks that it is this job's, and hands it to `change`; the update carries the
/// resourceVersion that was read, so a job that took over in between wins.
template <class Change>
util::Result<> update(kube::Client& client, const CollectOptions& options, const std::string& name,
                      const std::stop_token& stop, const Change& change) {
  KUBIST_TRY(Json secret, client.json(kube::get(secrets(), options.ns, name), stop));
  const auto job = data::string_at(secret, {"metadata", "annotations", k_job_annotation});
  if (job != options.job) {
    return util::fail(
        ErrorKind::conflict,
        util::cat("Secret ", name, " belongs to job ", job, " by now, not to ", options.job),
        "A newer run of the item has started; this one must not write any more.");
  }
  KUBIST_TRY(const bool changed, change(secret));
  if (!changed) {
    return {};
  }
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

util::Result<std::int64_t> save_state(kube::Client& client, const CollectOptions& options,
                                      const std::stop_token& stop) {
  const std::size_t limit = std::min(options.state_limit, k_max_head_state);
  KUBIST_TRY(const std::string packed, pack(options.out / k_state_dir, limit));
  std::int64_t generation = 0;
  KUBIST_CHECK(
      update(client, options, options.state_secret, stop, [&](Json& secret) -> util::Result<bool> {
        KUBIST_TRY(const Head before, head_of_secret(secret));
        const auto head = next_head(before, packed);
        generation = head ? head->generation : before.generation;
        if (!head) {
          return false;
        }
        Json data{{k_head_key, util::base64_encode(to_text(*head))}};
        if (!packed.empty()) {
          data[std::string(k_state_key)] = util::base64_encode(packed);
        }
        secret["data"] = std::move(data);
        return true;
      }));
  return generation;
}

std::string first_line(const util::Error& error) {
  std::string text = error.to_string();
  return util::replace_all(text, "\n", " ");
}

}  // namespace

util::Result<Mark> collect(kube::Client& client, const CollectOptions& options,
                           std::stop_token stop) {
  Mark mark;
  mark.job = options.job;
  if (const auto saved = save_state(client, options, stop); saved) {
    mark.state_generation = *saved;
  } else if (saved.error().kind == ErrorKind::conflict) {
    return util::fail(saved.error());
  } else {
    mark.state_error = first_line(saved.error());
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
  KUBIST_CHECK(
      update(client, options, options.export_secret, stop, [&](Json& secret) -> util::Result<bool> {
        secret["metadata"]["annotations"][std::string(k_mark_annotation)] = to_text(mark);
        if (mark.exports_error.empty()) {
          secret["data"] = {{k_export_key, util::base64_encode(bytes)}};
        }
        return true;
      }));
  return mark;
}

}  // namespace kubist::state
