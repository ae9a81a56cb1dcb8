#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "keep/kinds.hpp"
#include "keep/managed.hpp"
#include "keep/traffic_place.hpp"
#include "releases/experiment_goals.hpp"
#include "releases/release_look.hpp"

namespace kubist::executors {

using data::Json;
using engine::Alignment;
using engine::Outcome;
using util::cat;

namespace {

/// Assigns the clients of a route to variants, and judges them. The route runs after it and shares
/// its requests; the next look sees whether it has.
class ExperimentExecutor final : public ManagedExecutor {
 public:
  using ManagedExecutor::ManagedExecutor;

 private:
  // Its route lets go of the split by itself when it is gone.
  bool needs_finalizer() const override { return false; }
  util::Result<engine::Removal> remove_node(Work& /*work*/) override { return engine::Removal{}; }

  util::Result<Alignment> align_node(Work& work) override {
    KUBIST_TRY(const experiment::Plan plan, experiment::read_plan(effective_object(work)));
    const auto before = experiment::read_progress(work.node().status(), plan);
    const engine::Node* route = find_route(work, plan);
    if (before.state == experiment::State::pending && route != nullptr) {
      KUBIST_CHECK(check_route(plan, *route));
    }
    const experiment::Seen seen = see(work, route);
    std::optional<experiment::Reading> reading;
    if (experiment::reads(plan, before, seen, work.context().now)) {
      KUBIST_TRY(const TrafficPlace place, traffic_place(work));
      reading = read_goals(work, plan, place.client);
    }
    const std::string request = pending_request(work.node());
    const auto asked = experiment::read_request(request.substr(0, request.find('@')));
    const auto tick = experiment::tick(plan, before, seen, reading, asked, work.context().now);
    Alignment alignment;
    alignment.status = experiment::to_json(tick.progress);
    ask_route(work, plan, tick.progress);
    report(tick, alignment);
    if (asked != experiment::Request::none) {
      alignment.handled_request = answered(request, tick.request_done, tick.progress.message,
                                           cat("the experiment is ", to_string(before.state)));
    }
    return alignment;
  }

  static std::string own_name(const Work& work) {
    return cat(work.node().key.kind, '/', work.node().key.name);
  }

  static const engine::Node* find_route(Work& work, const experiment::Plan& plan) {
    const auto found = work.context().graph.find(route_key(work.node(), plan.route));
    return found.empty() ? nullptr : &work.context().graph[found.front()];
  }

  /// `shares`: instead of the variants' weights, where there are any.
  static traffic::Split split_of(const experiment::Plan& plan, const std::vector<int>& shares) {
    traffic::Split split{plan.rule, plan.cookie, plan.max_age.count(), {}};
    for (std::size_t i = 0; i < plan.variants.size(); ++i) {
      const experiment::Variant& each = plan.variants[i];
      split.variants.push_back({each.name, each.destination, each.version, each.port,
                                shares.empty() ? each.weight : shares[i]});
    }
    return split;
  }

  /// What waiting does not mend.
  static util::Result<> check_route(const experiment::Plan& plan, const engine::Node& route) {
    if (data::bool_at(route.spec(), {"object", "borrow"})) {
      return util::fail(refused("RouteBorrowed",
                                cat("TrafficRoute/", plan.route,
                                    " is borrowed: kubist changes "
                                    "nothing of it but weights"),
                                "Use a route whose object kubist makes."));
    }
    if (route.selected) {
      return util::fail(refused("RouteOnMany",
                                cat("TrafficRoute/", plan.route,
                                    " is kept by a virtualClusterSelector, and an experiment is "
                                    "run on one virtual cluster"),
                                "Use a route with a virtualClusterRef."));
    }
    if (data::string_at(route.status(), {"mode"}) == "HTTPRoute") {
      return util::fail(refused(
          "NeedsVirtualService",
          cat("TrafficRoute/", plan.route, " is an HTTPRoute, and cookies need a VirtualService"),
          "Use mode: VirtualService on a cluster that serves it."));
    }
    const Json* routes = data::find_path(route.spec(), {"routes"});
    KUBIST_CHECK(
        traffic::split_routes(routes != nullptr ? *routes : Json::array(), split_of(plan, {})));
    return {};
  }

  static experiment::Seen see(Work& work, const engine::Node* route) {
    experiment::Seen seen;
    seen.there = route != nullptr && !route->deleting;
    if (!seen.there) {
      return seen;
    }
    seen.settled = route->status_summary.ready == "True" &&
                   route->status_summary.observed_generation >= route->generation;
    const Json& status = route->status();
    if (const Json* ready = engine::find_condition(status, "Ready"); !seen.settled && ready) {
      seen.message = data::string_at(*ready, {"message"});
    }
    const std::string by(data::string_at(status, {"override", "by"}));
    seen.assigned = by == own_name(work);
    if (!seen.assigned) {
      seen.held_by = by;
    }
    // A release that began in this very run.
    if (const auto wish = work.world().releases->wish_for(route->key);
        wish && wish->moves() && wish->by != own_name(work)) {
      seen.held_by = wish->by;
    }
    const Json* routes = data::find_path(route->spec(), {"routes"});
    seen.for_spec = routes != nullptr ? traffic::routes_hash(*routes) : "";
    return seen;
  }

  static void ask_route(Work& work, const experiment::Plan& plan,
                        const experiment::Progress& progress) {
    if (progress.state == experiment::State::pending) {
      return;  // its weights are its own, or somebody else's
    }
    RouteWish wish;
    wish.by = own_name(work);
    if (progress.state == experiment::State::running ||
        progress.state == experiment::State::paused) {
      wish.split = split_of(plan, progress.shares);
    }
    work.world().releases->wish(route_key(work.node(), plan.route), std::move(wish));
  }

  static void report(const experiment::Tick& tick, Alignment& alignment) {
    const experiment::Progress& progress = tick.progress;
    alignment.reason =
        progress.reason.empty() ? std::string(to_string(progress.state)) : progress.reason;
    alignment.message = progress.message;
    alignment.requeue_after = tick.look_again;
    alignment.needs_new_run = true;  // the route moves in between
    alignment.rolled_back = progress.state == experiment::State::aborted;
    alignment.outcome = progress.state == experiment::State::finished  ? Outcome::ready
                        : progress.state == experiment::State::aborted ? Outcome::stalled
                                                                       : Outcome::progressing;
  }
};

}  // namespace

std::shared_ptr<engine::Executor> make_experiment_executor(World& world) {
  return std::make_shared<ExperimentExecutor>(world);
}

}  // namespace kubist::executors
