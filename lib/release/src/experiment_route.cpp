#include <kubist/data/pointer.hpp>
#include <kubist/release/experiment_route.hpp>
#include <kubist/release/routes.hpp>
#include <kubist/util/text.hpp>

namespace kubist::experiment {

using data::Json;
using util::cat;

namespace {

/// `shares`: instead of the variants' weights, where there are any.
traffic::Split split_of(const Plan& plan, const std::vector<int>& shares) {
  traffic::Split split{plan.rule, plan.cookie, plan.max_age.count(), {}};
  for (std::size_t i = 0; i < plan.variants.size(); ++i) {
    const Variant& each = plan.variants[i];
    split.variants.push_back({each.name, each.destination, each.version, each.port,
                              shares.empty() ? each.weight : shares[i]});
  }
  return split;
}

auto unfit(std::string reason, std::string message, std::string hint) {
  return util::fail(util::ErrorKind::invalid, std::move(message), std::move(hint),
                    std::move(reason));
}

}  // namespace

util::Result<> check_route(const Plan& plan, const engine::Node& route) {
  const std::string name = cat("TrafficRoute/", plan.route);
  if (data::bool_at(route.spec(), {"object", "borrow"})) {
    return unfit("RouteBorrowed",
                 cat(name, " is borrowed: kubist changes nothing of it but weights"),
                 "Use a route whose object kubist makes.");
  }
  if (route.selected) {
    return unfit("RouteOnMany",
                 cat(name,
                     " is kept by a virtualClusterSelector, and an experiment is run on one "
                     "virtual cluster"),
                 "Use a route with a virtualClusterRef.");
  }
  if (data::string_at(route.status(), {"mode"}) == "HTTPRoute") {
    return unfit("NeedsVirtualService",
                 cat(name, " is an HTTPRoute, and cookies need a VirtualService"),
                 "Use mode: VirtualService on a cluster that serves it.");
  }
  const Json* routes = data::find_path(route.spec(), {"routes"});
  KUBIST_CHECK(
      traffic::split_routes(routes != nullptr ? *routes : Json::array(), split_of(plan, {})));
  return {};
}

Seen see_route(const engine::Node& experiment, const engine::Node* route,
               const std::optional<traffic::Override>& others) {
  Seen seen;
  seen.there = route != nullptr && !route->deleting;
  if (!seen.there) {
    return seen;
  }
  const std::string own = release::owner_of(experiment);
  seen.settled = release::is_settled(*route, seen.message);
  seen.held_by = data::string_at(route->status(), {"override", "by"});
  seen.assigned = seen.held_by == own;
  if (seen.assigned) {
    seen.held_by.clear();
  }
  if (others && others->moves() && others->by != own) {
    seen.held_by = others->by;
  }
  seen.for_spec = release::hash_of(*route);
  return seen;
}

std::optional<traffic::Override> override_of(const engine::Node& experiment, const Plan& plan,
                                             const Progress& progress) {
  if (progress.state == State::pending) {
    return std::nullopt;
  }
  traffic::Override given;
  given.by = release::owner_of(experiment);
  if (progress.state == State::running || progress.state == State::paused) {
    given.split = split_of(plan, progress.shares);
  }
  return given;
}

}  // namespace kubist::experiment
