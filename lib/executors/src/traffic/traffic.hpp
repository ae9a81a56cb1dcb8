#pragma once
#include "keep/managed.hpp"
#include "keep/owned_objects.hpp"
#include "keep/traffic_place.hpp"

namespace kubist::executors {

/// What the executors of the traffic kinds do alike: find the place, take away by the inventory.
class TrafficExecutor : public ManagedExecutor {
 public:
  using ManagedExecutor::ManagedExecutor;

 protected:
  virtual util::Result<engine::Alignment> align_traffic(Work& work, const TrafficPlace& place) = 0;
  /// What still sends to an object that is about to go with its node.
  virtual Users users_of(Work& work, const TrafficPlace& place);

 private:
  util::Result<engine::Alignment> align_node(Work& work) final;
  util::Result<engine::Removal> remove_node(Work& work) final;
};

/// Keeps the one object of a node: of that kind of Istio's, with the node's name and this spec. Not
/// ready, and nothing is written, while Istio is not (istio_gate()).
util::Result<engine::Alignment> keep_istio_object(Work& work, const TrafficPlace& place,
                                                  const char* kind, const data::Json& spec);

}  // namespace kubist::executors
