#include <kubist/data/pointer.hpp>
#include <kubist/traffic/http_route.hpp>
#include <kubist/traffic/route.hpp>
#include <kubist/traffic/route_status.hpp>
#include <kubist/traffic/virtual_service.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "keep/kinds.hpp"
#include "traffic/borrowed_route.hpp"
#include "traffic/mesh_limits.hpp"
#include "traffic/route_live.hpp"
#include "traffic/route_override.hpp"
#include "traffic/traffic.hpp"

namespace kubist::executors {

using data::Json;
using engine::Alignment;
using util::cat;

namespace {

/// How long a controller has to say something about an HTTPRoute before it is taken for one that
/// says nothing.
constexpr std::chrono::seconds k_silence{30};

class TrafficRouteExecutor final : public TrafficExecutor {
 public:
  using TrafficExecutor::TrafficExecutor;

 private:
  util::Result<Alignment> align_traffic(Work& work, const TrafficPlace& place) override {
    KUBIST_TRY(const RouteMode mode, route_mode(work, place));
    const std::string name(data::string_at(work.spec(), {"object", "name"}, work.node().key.name));
    KUBIST_TRY(const auto lost, lost_override(work, place, mode.resource, name));
    KUBIST_TRY(const MovedRoute moved, move_weights(work, effective_object(work), lost));
    KUBIST_TRY(traffic::Route route, traffic::read_route(moved.object));
    if (!mode.http_route) {
      KUBIST_TRY(auto gated, istio_gate(work, place));
      if (gated) {
        return *std::move(gated);
      }
    }
    name_services(work, place, route);
    KUBIST_TRY(const traffic::Live live, live_for(work, place, route, mode));
    traffic::fill_ports(route, place.names, live);
    if (auto blocked =
            blocked_by(traffic::check_route(route, place.names, live, name, mode.http_route))) {
      // A release that moved the weights decides what comes next, not the time.
      blocked->needs_new_run = moved.given.has_value();
      return *std::move(blocked);
    }
    if (subsets_are_fresh(place, route, live, name, work.context().now)) {
      return waiting("WaitingForProxies", "the proxies get the new subsets before the route",
                     std::chrono::seconds(1));
    }
    KUBIST_CHECK(check_hosts(work, place, traffic::served_hosts(route, place.names)));
    KUBIST_CHECK(check_backends(work, place, route));
    Alignment alignment;
    alignment.status["mode"] = mode.resource.kind;
    alignment.status["override"] = moved.given ? traffic::to_json(*moved.given) : Json();
    if (auto behind = spec_behind(work.node(), moved.given)) {
      alignment.conditions.push_back(*std::move(behind));
    }
    alignment.status["hosts"] = traffic::served_hosts(route, place.names);
    if (data::bool_at(work.spec(), {"object", "borrow"})) {
      KUBIST_CHECK(keep_borrowed_route(work, place, route, mode, name, alignment));
    } else {
      KUBIST_CHECK(keep_own(work, place, moved, route, mode, name, alignment));
    }
    return alignment;
  }

  static util::Result<> keep_own(Work& work, const TrafficPlace& place, const MovedRoute& moved,
                                 const traffic::Route& route, const RouteMode& mode,
                                 const std::string& name, Alignment& alignment) {
    KUBIST_TRY(Json spec, mode.http_route ? traffic::http_route_spec(route, place.names)
                                          : traffic::virtual_service_spec(route, place.names));
    if (!mode.http_route) {
      limit_exports(work, place, spec);
    }
    std::vector<Wish> wishes;
    KUBIST_TRY(auto internal, internal_service(place, route));
    if (internal) {
      wishes.push_back(*std::move(internal));
    }
    Json annotations = Json::object();
    if (moved.given) {
      annotations[k_override_annotation] = traffic::to_json(*moved.given).dump();
    }
    wishes.push_back(spec_wish(mode.resource, name, std::move(spec), std::move(annotations)));
    OwnedObjects objects(work, place);
    KUBIST_TRY(const auto live, objects.keep(wishes));
    KUBIST_CHECK(objects.prune());
    alignment.conditions.push_back(objects.drift_condition());
    alignment.status["inventory"] = objects.inventory();
    const Json* routes = data::find_path(moved.object, {"spec", "routes"});
    const Json status =
        objects.drifted() && !mode.http_route
            ? traffic::live_route_status(live.back(), place.names)
            : traffic::route_status(route, routes != nullptr ? *routes : Json::array());
    alignment.status["routes"] = status;
    alignment.status["weights"] = traffic::weights_text(status);
    if (mode.http_route) {
      const auto notes = traffic::http_route_notes(route);
      alignment.message = util::join(notes, "; ");
      judge_acceptance(work, live.back(), alignment);
    }
    return {};
  }

  /// Gateway API controllers say whether they took a route, of which generation.
  static void judge_acceptance(Work& work, const Json& http_route, Alignment& alignment) {
    const resources::ObjectView view(http_route);
    const Json* parents = data::find_path(http_route, {"status", "parents"});
    bool answered = parents != nullptr && !parents->empty();
    std::vector<std::string> refusals;
    for (const Json& parent : answered ? *parents : Json::array()) {
      for (const Json& condition : data::array_at(parent, {"conditions"})) {
        const std::string_view type = data::string_at(condition, {"type"});
        if (type != "Accepted" && type != "ResolvedRefs") {
          continue;
        }
        answered = answered && data::int_at(condition, {"observedGeneration"}) >= view.generation();
        if (data::string_at(condition, {"status"}) == "False") {
          refusals.push_back(cat(type, ": ", data::string_at(condition, {"message"})));
        }
      }
    }
    if (!answered) {
      const auto made = util::parse_time(view.creation_timestamp());
      const bool young = made && work.context().now - *made < k_silence && !work.dry();
      alignment.conditions.push_back({"Accepted", "Unknown", "NoAnswer",
                                      "no gateway controller has answered for this generation"});
      if (young) {
        alignment.outcome = engine::Outcome::progressing;
        alignment.reason = "WaitingForController";
        alignment.message = "no gateway controller has answered yet";
        alignment.requeue_after = std::chrono::seconds(1);
      }
      return;
    }
    const std::string why = util::join(refusals, "; ");
    alignment.conditions.push_back(
        refusals.empty()
            ? resources::Condition{"Accepted", "True", "Accepted", "the gateway controller took it"}
            : resources::Condition{"Accepted", "False", "Refused", why});
    if (!refusals.empty()) {
      alignment.outcome = engine::Outcome::progressing;
      alignment.reason = "NotAccepted";
      alignment.message = why;
      alignment.requeue_after = std::chrono::seconds(2);
    }
  }
};

}  // namespace

std::shared_ptr<ManagedExecutor> make_traffic_route_executor(World& world) {
  return std::make_shared<TrafficRouteExecutor>(world);
}

}  // namespace kubist::executors
