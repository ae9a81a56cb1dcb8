// The route of an experiment as the graph has it, and what the experiment gives it.
#include <kubist/release/experiment_route.hpp>

#include "experiment_support.hpp"
#include "graph_support.hpp"

namespace kubist::experiment {

using namespace kubist::testing;

namespace {

const engine::Node& colours() {
  static const engine::Node node = testing::node("Experiment", "colours", "dev", "{route: shop}");
  return node;
}

std::string refusal(const engine::Node& route) {
  const auto checked = check_route(plan(), route);
  return checked ? "" : checked.error().reason;
}

}  // namespace

TEST_CASE("experiment route: what waiting does not mend is refused") {
  CHECK(refusal(traffic_route("shop", "dev")).empty());
  CHECK(refusal(traffic_route("shop", "dev", "mode: HTTPRoute")) == "NeedsVirtualService");
  CHECK(refusal(node("TrafficRoute", "shop", "dev", "{object: {borrow: true}}")) ==
        "RouteBorrowed");
  CHECK(refusal(node("TrafficRoute", "shop", "dev", "{routes: []}")) == "NoSuchRule");
  auto selected = traffic_route("shop", "dev");
  selected.selected = std::make_shared<const std::vector<std::string>>(1, "dev");
  CHECK(refusal(selected) == "RouteOnMany");
}

TEST_CASE("experiment route: its own split, and whoever else moves its weights") {
  const auto see = [](const std::string& status,
                      const std::optional<traffic::Override>& others = std::nullopt) {
    const auto route = traffic_route("shop", "dev", status);
    return see_route(colours(), &route, others);
  };
  CHECK(see("").settled);
  CHECK(see("").held_by.empty());
  CHECK_FALSE(see("").for_spec.empty());
  CHECK(see("override: {by: Experiment/colours}").assigned);
  CHECK(see("override: {by: Experiment/colours}").held_by.empty());
  CHECK(see("override: {by: CanaryRelease/web}").held_by == "CanaryRelease/web");
  traffic::Override begun{.by = "CanaryRelease/api"};
  CHECK(see("", begun).held_by.empty());  // its own weights are nobody's
  begun.shift = traffic::Shift{"web", "v1", "v2", 20};
  CHECK(see("", begun).held_by == "CanaryRelease/api");
  CHECK_FALSE(see_route(colours(), nullptr, std::nullopt).there);
}

TEST_CASE("experiment route: clients are shared while it runs, by the shares of the last reading") {
  Progress progress;
  const auto given = [&](State state) {
    progress.state = state;
    return override_of(colours(), plan(), progress);
  };
  CHECK_FALSE(given(State::pending));
  CHECK(given(State::running)->split->variants[0].weight == 1);
  CHECK(given(State::paused)->split);
  CHECK(given(State::finishing)->by == "Experiment/colours");
  CHECK_FALSE(given(State::finishing)->moves());
  progress.shares = {30, 70};
  CHECK(given(State::running)->split->variants[1].weight == 70);
}

TEST_CASE("experiment goals: what its sources give is checked before it is counted") {
  CHECK(fields_of(GoalKind::conversion).back() == "count");
  CHECK(fields_of(GoalKind::mean).back() == "count");
  CHECK(read_totals(GoalKind::conversion, {7, 120}) == rate(120, 7));
  CHECK(read_totals(GoalKind::mean, {2, 0, 10}) == totals_of(10, 2, 0));
  for (const std::vector<double>& values : {std::vector<double>{8, 7}, {-1, 7}}) {
    CHECK(read_totals(GoalKind::conversion, values).error().reason == "NotPlausible");
  }
  for (const std::vector<double>& values : {std::vector<double>{1, -1, 7}, {1, 1, -7}}) {
    CHECK(read_totals(GoalKind::mean, values).error().reason == "NotPlausible");
  }
}

}  // namespace kubist::experiment
