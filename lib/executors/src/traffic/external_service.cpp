#include <kubist/traffic/external_service.hpp>

#include "keep/kinds.hpp"
#include "traffic/mesh_limits.hpp"
#include "traffic/traffic.hpp"

namespace kubist::executors {

using data::Json;
using engine::Alignment;

namespace {

class ExternalServiceExecutor final : public TrafficExecutor {
 public:
  using TrafficExecutor::TrafficExecutor;

 private:
  util::Result<Alignment> align_traffic(Work& work, const TrafficPlace& place) override {
    KUBIST_TRY(Json spec, traffic::service_entry_spec(effective_object(work)));
    KUBIST_CHECK(check_hosts(work, place, spec["hosts"]));
    limit_exports(work, place, spec);
    KUBIST_TRY(const auto resource, require_served(work, place, k_istio_group, "ServiceEntry"));
    KUBIST_TRY(auto gated, istio_gate(work, place));
    if (gated) {
      return *std::move(gated);
    }
    OwnedObjects objects(work, place);
    KUBIST_CHECK(objects.keep({spec_wish(resource, work.node().key.name, spec)}));
    KUBIST_CHECK(objects.prune());
    Alignment alignment;
    alignment.conditions.push_back(objects.drift_condition());
    alignment.status["inventory"] = objects.inventory();
    return alignment;
  }
};

}  // namespace

std::shared_ptr<engine::Executor> make_external_service_executor(World& world) {
  return std::make_shared<ExternalServiceExecutor>(world);
}

}  // namespace kubist::executors
