#include "releases/release_snapshot.hpp"

#include <kubist/release/routes.hpp>
#include <kubist/resources/selector.hpp>

#include "keep/sites.hpp"

namespace kubist::executors {

util::Result<release::Snapshot> take_snapshot(World& world, const engine::Graph& graph,
                                              ReleaseListing& listing, const engine::Node& node,
                                              const data::Json& spec, const std::stop_token& stop) {
  KUBIST_TRY(release::Snapshot snapshot, release::read_snapshot(graph, node, spec));
  const std::string selector = resources::label_text(snapshot.canary.labels);
  const auto see = [&](const std::string& target) -> util::Result<release::Seen> {
    KUBIST_TRY(const auto place, world.sites.of(graph, node.key.ns, target, stop));
    KUBIST_TRY(const auto there, listing.list(node, target, place, selector, stop));
    return release::see_target(*there, place.ns, target, snapshot);
  };
  auto members = std::move(snapshot.seen.members);
  if (!node.target.empty()) {
    KUBIST_TRY(snapshot.seen, see(node.target));
  } else {
    snapshot.seen =
        release::see_targets(release::targets_of(graph, node), see, snapshot.plan.canary);
  }
  snapshot.seen.members = std::move(members);
  return snapshot;
}

}  // namespace kubist::executors
