#include "traffic/borrowed_route.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/traffic/borrowed.hpp>
#include <kubist/traffic/route_status.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using data::Json;
using util::cat;

namespace {

/// status.routes of what the route names: what else is in the object is only its owner's.
Json status_of(const Json& live, const traffic::Route& route, const traffic::Place& place) {
  Json list = Json::array();
  for (Json& entry : traffic::live_route_status(live, place)) {
    const std::string_view name = data::string_at(entry, {"name"});
    if (std::any_of(route.rules.begin(), route.rules.end(),
                    [&](const traffic::Rule& rule) { return rule.name == name; })) {
      list.push_back(std::move(entry));
    }
  }
  return list;
}

/// Weights that were live when this spec had been kept, and are not any more; or drift seen before.
bool changed_by_others(const engine::Node& node, const std::string& live) {
  const std::string_view known = data::string_at(node.status(), {"weights"});
  const Json* drifted = engine::find_condition(node.status(), resources::k_drifted);
  const bool seen = drifted != nullptr && data::string_at(*drifted, {"status"}) == "True";
  return node.status_summary.observed_generation >= node.generation && !known.empty() &&
         (seen || known != live);
}

}  // namespace

util::Result<> keep_borrowed_route(Work& work, const TrafficPlace& place,
                                   const traffic::Route& route, const RouteMode& mode,
                                   const std::string& name, engine::Alignment& alignment) {
  if (mode.http_route) {
    return util::fail(refused("CannotBorrow", "an HTTPRoute of somebody else cannot be borrowed",
                              "Leave spec.object.borrow out, with another spec.object.name."));
  }
  const bool report = data::string_at(work.spec(), {"drift"}) == "Report";
  std::string drift;
  std::optional<util::Error> refusal;  // of the write before
  std::string refused_version;
  for (int tries = 1;; ++tries) {
    KUBIST_TRY(const auto live, place.client->find(mode.resource, place.ns, name, work.stop()));
    if (!live) {
      return util::fail(refused("BorrowedNotFound",
                                cat("VirtualService/", name, " does not exist in ", place.ns),
                                "Name one that exists, or leave spec.object.borrow out."));
    }
    const std::string version(resources::ObjectView(*live).resource_version());
    if (refusal && refused_version == version) {
      return util::fail(*refusal);  // nobody came between: 422 is not only for a failed test
    }
    if (tries > k_max_attempts) {
      return util::fail(
          util::ErrorKind::conflict,
          cat("VirtualService/", name, " was changed under every attempt to give it its weights"),
          "The next run tries again. Does another program write weights too?");
    }
    KUBIST_TRY(const Json patch, traffic::borrowed_patch(*live, route, place.names));
    const Json status = status_of(*live, route, place.names);
    const std::string weights = traffic::weights_text(status);
    if (!patch.empty() && report && changed_by_others(work.node(), weights)) {
      drift = cat("VirtualService/", name, " has weights of somebody else: ", weights);
    }
    if (patch.empty() || !drift.empty() || (work.dry() && tries > 1)) {
      alignment.status["routes"] = status;
      alignment.status["weights"] = weights;
      break;
    }
    const auto sent = work.writer().patch(place.target(), mode.resource, place.ns, name,
                                          kube::PatchType::json, patch, {.detail = "weights"});
    if (!sent && !kube::may_be_outdated(sent.error())) {
      return util::fail(sent.error());
    }
    if (!sent) {
      refusal = sent.error();
      refused_version = version;
    }
  }
  alignment.conditions.push_back(resources::drift_condition(std::move(drift)));
  OwnedObjects objects(work, place);
  KUBIST_CHECK(objects.prune([&](const auto& kind, const auto& each) {
    const bool lent = kind == "VirtualService" && each == name;  // made by us, now another's
    return lent ? std::vector<std::string>{"its owner"} : std::vector<std::string>{};
  }));
  alignment.status["inventory"] = objects.inventory();
  return {};
}

}  // namespace kubist::executors
