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
      KUBIST_CHECK(check_istio_fields("spec.servers", server));
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
    KUBIST_TRY(const auto refused,
               list(work, place, kube::well_known::pods(), namespaces, options, pods));
    alignment.status["addresses"] = nullptr;
    if (pods.empty() && !refused.empty()) {
      alignment.conditions.push_back(
          {"HasGatewayPods", "Unknown", "Forbidden",
           cat("the gateway's pods may not be listed in ", shown(refused))});
      return {};
    }
    const std::string labels = cat(" the labels ", options.label_selector);
    if (pods.empty()) {
      const bool everywhere = namespaces.front().empty();
      alignment.conditions.push_back(
          {"HasGatewayPods", "False", "NoGatewayPods",
           cat("no pod in ", shown(namespaces), " has", labels, everywhere ? "" : k_elsewhere)});
      return {};
    }
    return find_services(work, place, pods, labels, alignment);
  }

  /// The Services before these pods have the addresses.
  static util::Result<> find_services(Work& work, const TrafficPlace& place,
                                      const std::vector<Json>& pods, const std::string& labels,
                                      Alignment& alignment) {
    std::set<std::string> beside;
    for (const Json& pod : pods) {
      beside.emplace(resources::ObjectView(pod).ns());
    }
    std::vector<Json> services;
    KUBIST_TRY(const auto unseen, list(work, place, kube::well_known::services(),
                                       {beside.begin(), beside.end()}, {}, services));
    alignment.conditions.push_back(
        {"HasGatewayPods", "True", "Found",
         cat("pods with", labels,
             unseen.empty()
                 ? ""
                 : cat("; the Services before them may not be listed in ", shown(unseen)))});
    const auto addresses = traffic::gateway_addresses(services, pods);
    if (!addresses.empty()) {
      alignment.status["addresses"] = addresses;
    }
    return {};
  }

  static std::string shown(const std::vector<std::string>& namespaces) {
    return namespaces.front().empty() ? "any namespace"
                                      : cat(namespaces.size() == 1 ? "namespace " : "namespaces ",
                                            util::join(namespaces, ", "));
  }

  /// Adds what is there. The namespaces in which it may not be listed.
  static util::Result<std::vector<std::string>> list(Work& work, const TrafficPlace& place,
                                                     const kube::ApiResource& resource,
                                                     const std::vector<std::string>& namespaces,
                                                     const kube::ListOptions& options,
                                                     std::vector<Json>& into) {
    std::vector<std::string> refused;
    for (const std::string& ns : namespaces) {
      auto found = reader(place, ns).list(resource, ns, options, work.stop());
      if (found) {
        std::move(found->items.begin(), found->items.end(), std::back_inserter(into));
      } else if (found.error().kind == util::ErrorKind::forbidden) {
        refused.push_back(ns);
      } else {
        return util::fail(found.error());
      }
    }
    return refused;
  }
};

}  // namespace

std::shared_ptr<ManagedExecutor> make_entry_gateway_executor(World& world) {
  return std::make_shared<EntryGatewayExecutor>(world);
}

}  // namespace kubist::executors
