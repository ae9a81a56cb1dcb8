#include "releases/release_listing.hpp"

#include <array>

#include <kubist/data/document.hpp>
#include <kubist/data/json_stream.hpp>
#include <kubist/data/memory.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

namespace {

using data::Json;

// The server may be a member's, and what it lists is kept for all of a run.
constexpr std::size_t k_max_text = std::size_t{256} << 20U;
constexpr std::size_t k_max_values = 200'000;  // of one object
constexpr std::size_t k_max_kept = std::size_t{64} << 20U;

/// What release::see_target() reads of pods and Deployments.
constexpr std::array k_read{"/metadata/name",
                            "/metadata/generation",
                            "/metadata/labels",
                            "/metadata/deletionTimestamp",
                            "/spec/replicas",
                            "/spec/template/metadata/labels",
                            "/spec/template/spec",
                            "/status/conditions",
                            "/status/replicas",
                            "/status/updatedReplicas",
                            "/status/readyReplicas",
                            "/status/availableReplicas",
                            "/status/unavailableReplicas",
                            "/status/observedGeneration"};

Json what_is_read(Json object) {
  Json kept = Json::object();
  for (const char* path : k_read) {
    const Json::json_pointer pointer(path);
    if (object.contains(pointer)) {
      kept[pointer] = std::move(object[pointer]);
    }
  }
  // As text a template takes a tenth of the memory, and only its hash is wanted.
  if (Json* pod = data::find_path(kept, {"spec", "template", "spec"})) {
    *pod = pod->dump();
  }
  if (Json* conditions = data::find_path(kept, {"status", "conditions"})) {
    Json read = Json::array();
    for (const Json& each : *conditions) {
      const auto type = data::string_at(each, {"type"});
      if (type == "Ready" || type == "Available") {
        read.push_back({{"type", type}, {"status", data::string_at(each, {"status"})}});
      }
    }
    *conditions = std::move(read);
  }
  return kept;
}

util::Result<std::vector<Json>> list(const deployers::Place& place,
                                     const kube::ApiResource& resource, const std::string& selector,
                                     const std::stop_token& stop) {
  kube::ListOptions options;
  options.label_selector = selector;
  options.max_bytes = k_max_text;
  options.tolerate_expired = true;
  data::ReadOptions limits;
  limits.max_nodes = k_max_values;
  std::vector<Json> kept;
  std::size_t memory = 0;
  const auto keep = [&](const data::ListItem& item) -> util::Result<> {
    KUBIST_TRY(Json object, data::parse_json(item.raw, resource.group_resource(), limits));
    kept.push_back(what_is_read(std::move(object)));
    memory += data::memory_of(kept.back());
    return memory <= k_max_kept
               ? util::Result<>{}
               : util::fail(
                     util::ErrorKind::invalid,
                     util::cat("what releases read of the ", resource.plural, " in namespace ",
                               place.ns, " takes more than ", k_max_kept, " bytes of memory"),
                     "See docs/reference/limits.md.", std::string(http::k_failure_too_large));
  };
  KUBIST_CHECK(place.client->list_items(resource, place.ns, options, keep, stop));
  return kept;
}

util::Result<std::shared_ptr<const release::Running>> read(const deployers::Place& place,
                                                           const std::string& selector,
                                                           const std::stop_token& stop) {
  auto there = std::make_shared<release::Running>();
  KUBIST_TRY(there->pods, list(place, kube::well_known::pods(), selector, stop));
  KUBIST_TRY(there->deployments, list(place, kube::well_known::deployments(), "", stop));
  return std::shared_ptr<const release::Running>(std::move(there));
}

}  // namespace

ReleaseListing::ReleaseListing(const engine::Graph& graph) {
  for (const engine::Node& node : graph.nodes()) {
    if (node.key.kind == "CanaryRelease") {
      ++m_releases[{node.key.ns, node.target}];
    }
  }
}

util::Result<std::shared_ptr<const release::Running>> ReleaseListing::list(
    const engine::Node& release, const std::string& target, const deployers::Place& place,
    const std::string& selector, const std::stop_token& stop) {
  const Where where{release.key.ns, target};
  const auto known = m_releases.find(where);
  if (known == m_releases.end() || known->second == 1) {
    return read(place, selector, stop);
  }
  return m_found.get(where, [&] { return read(place, "", stop); });
}

}  // namespace kubist::executors
