#include "traffic/traffic.hpp"

#include "keep/function_place.hpp"

namespace kubist::executors {

using data::Json;

Users TrafficExecutor::users_of(Work& /*work*/, const TrafficPlace& /*place*/) { return {}; }

util::Result<engine::Alignment> TrafficExecutor::align_node(Work& work) {
  KUBIST_TRY(const TrafficPlace place, traffic_place(work));
  auto aligned = align_traffic(work, place);
  if (!aligned && aligned.error().reason == "ObjectTerminating") {
    return waiting("ObjectTerminating", aligned.error().message, std::chrono::milliseconds(300));
  }
  return aligned;
}

util::Result<engine::Removal> TrafficExecutor::remove_node(Work& work) {
  const Json& inventory = own_inventory(work.node().status());
  if (inventory.empty()) {
    return engine::Removal{};  // nothing was ever made
  }
  return remove_listed(
      work, inventory, traffic_place(work),
      [&](const TrafficPlace& place) { return users_of(work, place); }, Orphans::by_policy);
}

util::Result<engine::Alignment> keep_istio_object(Work& work, const TrafficPlace& place,
                                                  const char* kind, const Json& spec) {
  KUBIST_TRY(const auto resource, require_served(work, place, k_istio_group, kind));
  KUBIST_TRY(auto gated, istio_gate(work, place));
  if (gated) {
    return *std::move(gated);
  }
  OwnedObjects objects(work, place);
  KUBIST_CHECK(objects.keep({spec_wish(resource, work.node().key.name, spec)}));
  KUBIST_CHECK(objects.prune());
  engine::Alignment alignment;
  alignment.conditions.push_back(objects.drift_condition());
  alignment.status["inventory"] = objects.inventory();
  return alignment;
}

}  // namespace kubist::executors
