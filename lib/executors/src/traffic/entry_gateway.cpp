#include <algorithm>
#include <iterator>
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

constexpr const char* k_elsewhere =
    "; spec.allow.gateways of the Project or the Root says where else gateways run";

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

  /// As whom kubist reads in a namespace that gateway_namespaces() names.
  static kube::Client& reader(const TrafficPlace& place, const std::string& ns) {
    return ns == place.ns ? *place.client : *place.own_client;
  }

  // The gateway's pods are somebody else's, often in a namespace where we may not look: then their
  // address is not known, and nothing is wrong.
  static util::Result<> find_addresses(Work& work, const TrafficPlace& place, const Json& selector,
                                       Alignment& alignment) {
    kube::ListOptions options;
    options.label_selector = resources::label_text(selector);
    const auto namespaces =
        gateway_namespaces(work.context().graph, work.node(), place.cluster, place.ns);
    std::vector<Json> pods;
    bool is_whole = true;
    for (const std::string& ns : namespaces) {
      KUBIST_TRY(const bool seen,
                 list(reader(place, ns), kube::well_known::pods(), ns, options, pods, work.stop()));
      is_whole = is_whole && seen;
    }
    alignment.status["addresses"] = nullptr;
    const bool everywhere = namespaces.front().empty();
    const std::string where =
        everywhere ? "any namespace" : cat("the namespaces ", util::join(namespaces, ", "));
    if (pods.empty() && !is_whole) {
      alignment.conditions.push_back({"HasGatewayPods", "Unknown", "Forbidden",
                                      cat("the gateway's pods may not be listed in ", where)});
      return {};
    }
    const std::string labels = cat(" the labels ", options.label_selector);
    alignment.conditions.push_back(
        {"HasGatewayPods", pods.empty() ? "False" : "True",
         pods.empty() ? "NoGatewayPods" : "Found",
         pods.empty() ? cat("no pod in ", where, " has", labels, everywhere ? "" : k_elsewhere)
                      : cat("pods with", labels)});
    KUBIST_TRY(const auto services, services_beside(work, place, pods));
    const auto addresses = traffic::gateway_addresses(services, pods);
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
      KUBIST_CHECK(
          list(reader(place, ns), kube::well_known::services(), ns, {}, services, work.stop()));
    }
    return services;
  }

  /// Adds what is there. False: it may not be listed.
  static util::Result<bool> list(kube::Client& client, const kube::ApiResource& resource,
                                 const std::string& ns, const kube::ListOptions& options,
                                 std::vector<Json>& into, const std::stop_token& stop) {
    auto found = client.list(resource, ns, options, stop);
    if (!found) {
      return found.error().kind == util::ErrorKind::forbidden
                 ? util::Result<bool>(false)
                 : util::Result<bool>(util::fail(found.error()));
    }
    std::move(found->items.begin(), found->items.end(), std::back_inserter(into));
    return true;
  }
};

}  // namespace

std::shared_ptr<ManagedExecutor> make_entry_gateway_executor(World& world) {
  return std::make_shared<EntryGatewayExecutor>(world);
}

}  // namespace kubist::executors
