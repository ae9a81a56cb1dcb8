#include <algorithm>
#include <set>

#include <kubist/resources/selector.hpp>
#include <kubist/traffic/entry_gateway.hpp>
#include <kubist/util/text.hpp>

#include "keep/kinds.hpp"
#include "traffic/mesh_limits.hpp"
#include "traffic/traffic.hpp"

namespace kubist::executors {

using data::Json;
using engine::Alignment;
using util::cat;

namespace {

class EntryGatewayExecutor final : public TrafficExecutor {
 public:
  using TrafficExecutor::TrafficExecutor;

 private:
  util::Result<Alignment> align_traffic(Work& work, const TrafficPlace& place) override {
    const Json object = effective_object(work);
    KUBIST_TRY(const Json spec, traffic::gateway_spec(object));
    for (const Json& server : spec["servers"]) {
      KUBIST_CHECK(check_hosts(work, place, server["hosts"]));
    }
    KUBIST_TRY(Alignment alignment, keep_istio_object(work, place, "Gateway", spec));
    if (alignment.outcome == engine::Outcome::ready) {
      KUBIST_CHECK(find_addresses(work, place, traffic::gateway_selector(object), alignment));
    }
    return alignment;
  }

  // The gateway's pods are somebody else's, often in a namespace where we may not look: then their
  // address is not known, and nothing is wrong.
  static util::Result<> find_addresses(Work& work, const TrafficPlace& place, const Json& selector,
                                       Alignment& alignment) {
    kube::ListOptions options;
    options.label_selector = resources::label_text(selector);
    const auto pods = place.own_client->list(kube::well_known::pods(), "", options, work.stop());
    if (!pods && pods.error().kind != util::ErrorKind::forbidden) {
      return util::fail(pods.error());
    }
    alignment.status["addresses"] = nullptr;
    if (!pods) {
      alignment.conditions.push_back(
          {"HasGatewayPods", "Unknown", "Forbidden", "the gateway's pods may not be listed"});
      return {};
    }
    const bool any = !pods->items.empty();
    alignment.conditions.push_back({"HasGatewayPods", any ? "True" : "False",
                                    any ? "Found" : "NoGatewayPods",
                                    any ? cat("pods with the labels ", options.label_selector)
                                        : cat("no pod has the labels ", options.label_selector)});
    KUBIST_TRY(const auto services, services_beside(work, place, pods->items));
    const auto addresses = traffic::gateway_addresses(services, pods->items);
    if (!addresses.empty()) {
      alignment.status["addresses"] = addresses;
    }
    return {};
  }

  static util::Result<std::vector<Json>> services_beside(Work& work, const TrafficPlace& place,
                                                         const std::vector<Json>& pods) {
    std::set<std::string> namespaces;
    for (const Json& pod : pods) {
      namespaces.emplace(resources::ObjectView(pod).ns());
    }
    std::vector<Json> services;
    for (const std::string& ns : namespaces) {
      auto list = place.own_client->list(kube::well_known::services(), ns, {}, work.stop());
      if (!list && list.error().kind != util::ErrorKind::forbidden) {
        return util::fail(list.error());
      }
      if (list) {
        std::move(list->items.begin(), list->items.end(), std::back_inserter(services));
      }
    }
    return services;
  }
};

}  // namespace

std::shared_ptr<engine::Executor> make_entry_gateway_executor(World& world) {
  return std::make_shared<EntryGatewayExecutor>(world);
}

}  // namespace kubist::executors
