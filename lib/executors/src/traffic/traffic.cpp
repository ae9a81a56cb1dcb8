#include "traffic/traffic.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

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
  const Json* inventory = data::find_path(work.node().status(), {"inventory"});
  if (inventory == nullptr || inventory->empty()) {
    return engine::Removal{};  // nothing was ever made
  }
  const auto place = traffic_place(work);
  // A virtual cluster that is gone took what it had along, or was let go with it.
  const bool nowhere = work.node().leaving && work.node().parent == engine::k_no_node;
  if (!place && !world().abandon && !nowhere) {
    return util::fail(place.error());
  }
  if (!place) {
    std::vector<std::string> left;
    for (const Json& entry : *inventory) {
      left.push_back(
          util::cat(data::string_at(entry, {"kind"}), '/', data::string_at(entry, {"name"})));
    }
    return abandoned(place.error(), std::move(left));
  }
  // What goes with the whole namespace needs nobody's leave.
  const bool all_goes = place->virtual_cluster != nullptr &&
                        work.context().graph.deleting(place->virtual_cluster->id);
  return OwnedObjects(work, *place).remove_all(all_goes ? Users{} : users_of(work, *place));
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
