#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/traffic/checks.hpp>
#include <kubist/traffic/destination.hpp>
#include <kubist/util/text.hpp>

#include "keep/kinds.hpp"
#include "traffic/destination_users.hpp"
#include "traffic/mesh_limits.hpp"
#include "traffic/traffic.hpp"

namespace kubist::executors {

using data::Json;
using engine::Alignment;
using util::cat;

namespace {

constexpr std::size_t k_most_pods_memory = std::size_t{1} << 30U;

struct Mode {
  bool services = false;
  std::optional<kube::ApiResource> rule;  ///< DestinationRule, where it is served
};

class DestinationExecutor final : public TrafficExecutor {
 public:
  using TrafficExecutor::TrafficExecutor;

 private:
  util::Result<Alignment> align_traffic(Work& work, const TrafficPlace& place) override {
    KUBIST_TRY(const auto wanted, traffic::read_destination(effective_object(work)));
    KUBIST_CHECK(check_policies(wanted));
    KUBIST_TRY(const Mode mode, choose_mode(work, place, wanted));
    if (!mode.services) {
      KUBIST_TRY(auto gated, istio_gate(work, place));
      if (gated) {
        return *std::move(gated);
      }
    }
    Alignment alignment;
    alignment.status["host"] = traffic::full_host(wanted.name, place.names);
    alignment.status["mode"] = mode.services ? "Services" : "DestinationRule";
    OwnedObjects objects(work, place);
    DestinationUsers users(work, place);
    std::vector<std::string> kept;
    if (wanted.borrowed) {
      KUBIST_CHECK(check_borrowed(work, place, wanted, mode));
    } else {
      std::vector<Wish> wishes = services_of(wanted, mode);
      if (!mode.services && !wanted.ports.empty()) {
        KUBIST_TRY(Json spec, rule_spec(work, place, wanted, *mode.rule, users, kept));
        wishes.push_back(spec_wish(*mode.rule, wanted.name, std::move(spec)));
      }
      KUBIST_CHECK(objects.keep(wishes));
      alignment.conditions.push_back(objects.drift_condition());
      if (wanted.ports.empty()) {
        alignment.message = "no port is open: nothing can be sent to it";
      }
    }
    KUBIST_CHECK(
        objects.prune([&](const auto& kind, const auto& name) { return users.of(kind, name); }));
    alignment.status["inventory"] = objects.inventory();
    KUBIST_CHECK(report_subsets(work, place, wanted, kept, users, alignment));
    return alignment;
  }

  static util::Result<> check_policies(const traffic::Destination& wanted) {
    for (const auto& [name, subset] : wanted.subsets) {
      KUBIST_CHECK(
          check_istio_fields(cat("spec.subsets.", name, ".trafficPolicy"), subset.traffic_policy));
    }
    return check_istio_fields("spec.trafficPolicy", wanted.traffic_policy);
  }

  Users users_of(Work& work, const TrafficPlace& place) override {
    auto users = std::make_shared<DestinationUsers>(work, place);
    return [users](const auto& kind, const auto& name) { return users->of(kind, name); };
  }

  static util::Result<Mode> choose_mode(Work& work, const TrafficPlace& place,
                                        const traffic::Destination& wanted) {
    Mode mode;
    const std::string_view said = data::string_at(work.spec(), {"mode"}, "Auto");
    KUBIST_TRY(mode.rule, served(work, place, k_istio_group, "DestinationRule"));
    mode.services = said == "Services" || (said == "Auto" && !mode.rule);
    if (!mode.services && !mode.rule) {
      KUBIST_CHECK(require_served(work, place, k_istio_group, "DestinationRule"));
    }
    const auto fields = traffic::needs_destination_rule(wanted);
    if (mode.services && !fields.empty()) {
      return util::fail(
          refused("NeedsDestinationRule",
                  cat("Services by themselves cannot express ", util::join(fields, ", ")),
                  "Take it away, or use mode DestinationRule with Istio."));
    }
    return mode;
  }

  static std::vector<Wish> services_of(const traffic::Destination& wanted, const Mode& mode) {
    std::vector<Wish> wishes;
    if (wanted.ports.empty()) {
      return wishes;
    }
    const auto& services = kube::well_known::services();
    wishes.push_back(spec_wish(services, wanted.name, traffic::service_spec(wanted)));
    if (mode.services) {
      for (const auto& [name, subset] : wanted.subsets) {
        wishes.push_back(spec_wish(services, traffic::subset_service(wanted.name, name),
                                   traffic::subset_service_spec(wanted, subset)));
      }
    }
    return wishes;
  }

  // A subset that left the spec stays while a live VirtualService sends to it.
  static util::Result<Json> rule_spec(Work& work, const TrafficPlace& place,
                                      const traffic::Destination& wanted,
                                      const kube::ApiResource& resource, DestinationUsers& users,
                                      std::vector<std::string>& kept) {
    Json spec = traffic::destination_rule_spec(wanted, place.names);
    KUBIST_TRY(const auto live, place.client->find(resource, place.ns, wanted.name, work.stop()));
    const Json* subsets = live ? data::find_path(*live, {"spec", "subsets"}) : nullptr;
    std::vector<std::string> used;
    for (const Json& subset : subsets != nullptr ? *subsets : Json::array()) {
      const std::string name(data::string_at(subset, {"name"}));
      if (!wanted.subsets.contains(name) && !users.of_subset(wanted.name, name).empty()) {
        used.push_back(name);
      }
    }
    kept = traffic::keep_used_subsets(spec, live ? &*live : nullptr, used);
    KUBIST_CHECK(users.trouble());
    return spec;
  }

  static util::Result<> check_borrowed(Work& work, const TrafficPlace& place,
                                       const traffic::Destination& wanted, const Mode& mode) {
    std::vector<std::pair<kube::ApiResource, std::string>> needed{
        {kube::well_known::services(), wanted.name}};
    if (mode.services) {
      for (const auto& [name, subset] : wanted.subsets) {
        needed.emplace_back(kube::well_known::services(),
                            traffic::subset_service(wanted.name, name));
      }
    } else if (!wanted.subsets.empty()) {
      needed.emplace_back(*mode.rule, wanted.name);
    }
    for (const auto& [resource, name] : needed) {
      KUBIST_TRY(const auto live, place.client->find(resource, place.ns, name, work.stop()));
      if (!live) {
        return util::fail(refused(
            "BorrowedNotFound", cat(resource.kind, '/', name, " does not exist in ", place.ns),
            "Name one that exists, or leave spec.object.borrow out to have it made."));
      }
      for (const auto& [subset, unused] : wanted.subsets) {
        if (resource.kind == "DestinationRule" && traffic::find_subset(*live, subset) == nullptr) {
          return util::fail(refused("SubsetNotFound",
                                    cat("DestinationRule/", name, " has no subset ", subset),
                                    "Its owner can add it; kubist changes nothing borrowed."));
        }
      }
    }
    return {};
  }

  static util::Result<> report_subsets(Work& work, const TrafficPlace& place,
                                       const traffic::Destination& wanted,
                                       const std::vector<std::string>& kept,
                                       DestinationUsers& users, Alignment& alignment) {
    alignment.status["subsets"] = nullptr;
    Json subsets = Json::array();
    traffic::Live live;
    if (!wanted.subsets.empty()) {
      tell_of_pods(work, place);
      kube::ListOptions list;
      list.max_memory = k_most_pods_memory;
      auto pods = place.client->list(kube::well_known::pods(), place.ns, list, work.stop());
      if (!pods) {
        return util::fail(pods.error());
      }
      live.pods =
          traffic::LiveObjects(std::make_shared<const std::vector<Json>>(std::move(pods->items)));
    }
    const Json service{{"metadata", {{"name", wanted.name}, {"namespace", place.ns}}},
                       {"spec", traffic::service_spec(wanted)}};
    for (const auto& [name, subset] : wanted.subsets) {
      subsets.push_back(
          {{"name", name}, {"readyPods", traffic::ready_pods(live, service, subset.labels)}});
    }
    for (const std::string& name : kept) {
      subsets.push_back({{"name", name}, {"keptFor", users.of_subset(wanted.name, name)}});
    }
    if (!subsets.empty()) {
      alignment.status["subsets"] = std::move(subsets);
    }
    return {};
  }
};

}  // namespace

std::shared_ptr<ManagedExecutor> make_destination_executor(World& world) {
  return std::make_shared<DestinationExecutor>(world);
}

}  // namespace kubist::executors
