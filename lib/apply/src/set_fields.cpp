#include <map>

#include <kubist/data/pointer.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/secret_mask.hpp>
#include <kubist/util/text.hpp>

#include "calls.hpp"
#include "set_run.hpp"

namespace kubist::apply {

using data::Json;
using kube::OpenApi;

namespace {

using FieldSchema = std::shared_ptr<const data::Schema>;

/// What the CRDs of the input say, which the server will know only once they are applied.
class CrdFields {
 public:
  explicit CrdFields(const std::vector<Work>& works) {
    for (const Work& work : works) {
      if (is_crd(work.manifest->object)) {
        add(work.manifest->object);
      }
    }
  }

  FieldSchema of(const kube::ApiResource& resource) const {
    const auto found = m_by_kind.find(key(resource.group, resource.version, resource.kind));
    return found == m_by_kind.end() ? nullptr : found->second;
  }

 private:
  static std::string key(std::string_view group, std::string_view version, std::string_view kind) {
    return util::cat(group, '/', version, '/', kind);
  }

  void add(const Json& crd) {
    if (data::bool_at(crd, {"spec", "preserveUnknownFields"})) {
      return;
    }
    for (const Json& version : data::array_at(crd, {"spec", "versions"})) {
      if (const Json* schema = data::find_path(version, {"schema", "openAPIV3Schema"})) {
        m_by_kind[key(data::string_at(crd, {"spec", "group"}), data::string_at(version, {"name"}),
                      data::string_at(crd, {"spec", "names", "kind"}))] =
            kube::fields_of_crd_schema(*schema);
      }
    }
  }

  std::map<std::string, FieldSchema> m_by_kind;
};

std::vector<util::Error> unknown_fields(const FieldSchema& schema, const Work& work) {
  if (!schema) {
    return {};
  }
  return schema->validate(work.manifest->object, [&work](std::string_view pointer, data::At at) {
    return work.manifest->position(pointer, at);
  });
}

}  // namespace

void SetRun::check_fields() {
  const CrdFields crds(m_works);
  const auto schema_of = [&](const Work& work, OpenApi::Source source) {
    return work.kind_in_set ? crds.of(work.resource)
                            : m_client.open_api().fields_of(work.resource, source, m_stop);
  };
  std::map<std::size_t, std::vector<util::Error>> found;
  Tags doubtful;
  for (std::size_t tag = 0; tag < m_works.size() && !m_stop.stop_requested(); ++tag) {
    const Work& work = m_works[tag];
    if (needs_no_write(work) ||
        resources::find_kind(work.resource.group, work.resource.kind) != nullptr ||
        unknown_fields(schema_of(work, OpenApi::Source::cache), work).empty()) {
      continue;
    }
    // The cache may be older than the server's kinds.
    auto errors = unknown_fields(schema_of(work, OpenApi::Source::server), work);
    if (!errors.empty()) {
      found.emplace(tag, std::move(errors));
      doubtful.push_back(tag);
    }
  }
  // OpenAPI follows a changed CRD with a delay, so the last word is the server's, where it can say
  // one: in a namespace that does not exist yet it cannot.
  const auto make = [this](std::size_t tag) {
    kube::ApplyOptions apply = apply_options();
    apply.dry_run = kube::DryRun::server;
    apply.force = true;
    return kube::apply(m_works[tag].resource, m_works[tag].manifest->object, apply);
  };
  const auto take = [&found](std::size_t tag, const util::Result<kube::Reply>& reply) -> Delay {
    if (reply) {
      found.erase(tag);
    }
    return std::nullopt;
  };
  run_calls(m_client, doubtful, make, take, m_stop);
  for (auto& [tag, errors] : found) {
    for (util::Error& error : errors) {
      if (resources::is_secret(m_works[tag].manifest->object)) {
        resources::hide_values(error, m_works[tag].manifest->object);
      }
      m_report.errors.push_back(std::move(error));
    }
  }
}

}  // namespace kubist::apply
