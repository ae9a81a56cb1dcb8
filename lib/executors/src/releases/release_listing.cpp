#include "releases/release_listing.hpp"

namespace kubist::executors {

namespace {

util::Result<std::shared_ptr<const release::Running>> read(const deployers::Place& place,
                                                           const std::string& selector,
                                                           const std::stop_token& stop) {
  kube::ListOptions options;
  options.label_selector = selector;
  auto there = std::make_shared<release::Running>();
  KUBIST_TRY(auto pods, place.client->list(kube::well_known::pods(), place.ns, options, stop));
  KUBIST_TRY(auto deployments,
             place.client->list(kube::well_known::deployments(), place.ns, {}, stop));
  there->pods = std::move(pods.items);
  there->deployments = std::move(deployments.items);
  return std::shared_ptr<const release::Running>(std::move(there));
}

}  // namespace

ReleaseListing::ReleaseListing(const engine::Graph& graph) {
  for (const engine::Node& node : graph.nodes()) {
    if (node.key.kind == "CanaryRelease") {
      ++m_places[{node.key.ns, node.target}].releases;
    }
  }
}

util::Result<std::shared_ptr<const release::Running>> ReleaseListing::list(
    const engine::Node& release, const std::string& target, const deployers::Place& place,
    const std::string& selector, const std::stop_token& stop) {
  const auto known = m_places.find({release.key.ns, target});
  if (known == m_places.end() || known->second.releases == 1) {
    return read(place, selector, stop);
  }
  Shared& shared = known->second;
  const std::lock_guard lock(shared.mutex);
  if (!shared.found) {
    shared.found = read(place, "", stop);
  }
  return *shared.found;
}

}  // namespace kubist::executors
