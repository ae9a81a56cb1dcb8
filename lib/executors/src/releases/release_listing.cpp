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
