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
    KUBIST_CHECK(check_endpoints(work, place, spec));
    limit_exports(work, place, spec);
    return keep_istio_object(work, place, "ServiceEntry", spec);
  }
};

}  // namespace

std::shared_ptr<ManagedExecutor> make_external_service_executor(World& world) {
  return std::make_shared<ExternalServiceExecutor>(world);
}

}  // namespace kubist::executors
