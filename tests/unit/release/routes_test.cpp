// The routes of a release as the graph has them, and what the release gives them.
#include <kubist/release/routes.hpp>
#include <kubist/traffic/shift.hpp>

#include "graph_support.hpp"

namespace kubist::release {

using namespace kubist::testing;
using data::Json;

namespace {

const char* const k_release = "{destination: web, stable: v1, canary: v2, routes: [web]}";

/// A release of v2 on `target` (empty: wherever its route is kept), and these routes.
struct Routes {
  explicit Routes(const std::vector<engine::Node>& routes, const std::string& target = "dev",
                  const std::string& spec = k_release, const std::string& status = "{}") {
    std::vector<engine::Node> nodes{node("CanaryRelease", "web", target, spec, status)};
    nodes.insert(nodes.end(), routes.begin(), routes.end());
    graph = engine::Graph::build(std::move(nodes));
    plan = read_plan(*own().object).value();
  }
  const engine::Node& own() const { return node_of(graph, "CanaryRelease", "web"); }
  std::vector<Member> members(const Progress& progress = {}) const {
    return members_of(graph, own(), plan.routes, progress);
  }
  Member member(const Progress& progress = {}) const {
    const auto found = members(progress);
    REQUIRE(found.size() == 1);
    return found.front();
  }
  engine::Graph graph;
  Plan plan;
};

Progress at(State state, int weight) {
  Progress progress;
  progress.state = state;
  progress.weight = weight;
  return progress;
}

}  // namespace

TEST_CASE("release routes: one that is Ready with the release's weights is settled") {
  const Routes s({traffic_route("web", "dev",
                                "override: {by: CanaryRelease/web, attempt: 1, "
                                "destination: web, percent: 20}")});
  const auto member = s.member(at(State::progressing, 20));
  CHECK(member.name == "web");
  CHECK(member.there);
  CHECK(member.settled);
  CHECK(member.weight == 20);
}

TEST_CASE("release routes: weights of an earlier attempt are not yet this one's") {
  const Routes s({traffic_route("web", "dev",
                                "override: {by: CanaryRelease/web, attempt: 1, "
                                "destination: web, percent: 100, final: true}")});
  Progress progress = at(State::progressing, 20);
  progress.attempt = 2;
  const auto member = s.member(progress);
  CHECK_FALSE(member.settled);
  CHECK(member.message.find("kubist canary promote web --write FILE") != std::string::npos);
}

TEST_CASE("release routes: one that is not there, or goes, is not") {
  CHECK_FALSE(Routes({}).member().there);
  auto going = traffic_route("web", "dev");
  going.deleting = true;
  CHECK_FALSE(Routes({going}).member().there);
}

TEST_CASE("release routes: one whose requests an experiment shares waits for its end") {
  const Routes s({traffic_route("web", "dev", "override: {by: Experiment/colours, split: {}}")});
  const auto member = s.member();
  CHECK_FALSE(member.settled);
  CHECK(member.message == "Experiment/colours has its requests until it ends");
}

TEST_CASE("release routes: clients cannot stay with a canary where answers set no cookie") {
  const std::string sticky =
      "{destination: web, stable: v1, canary: v2, routes: [web], sessionAffinity: {cookieName: c}}";
  const Routes s({traffic_route("web", "dev", "mode: HTTPRoute")}, "dev", sticky);
  CHECK_FALSE(s.member().settled);
  CHECK(s.member().message.find("needs a VirtualService") != std::string::npos);
  CHECK(s.member(at(State::progressing, 20)).settled);  // said before the first step only
}

TEST_CASE("release routes: one without a virtual cluster of its own has them of its routes") {
  const Routes s({traffic_route("web", "eu"), traffic_route("web", "us")}, "");
  CHECK(targets_of(s.graph, s.own()) == std::vector<std::string>{"eu", "us"});
  const auto members = s.members();
  REQUIRE(members.size() == 2);
  CHECK(members[0].name == "web on eu");
  CHECK(members[1].cluster == "us");
}

TEST_CASE("release routes: a release of one virtual cluster moves no route of many") {
  auto selected = traffic_route("web", "eu");
  selected.selected =
      std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"eu", "us"});
  const Routes one({selected});
  const auto refused = check_one_target(one.graph, one.own(), one.plan.routes);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().reason == "RouteOnMany");
  const Routes many({selected}, "");
  CHECK(check_one_target(many.graph, many.own(), many.plan.routes));
}

TEST_CASE("release routes: an edit after the first step is seen, and no longer once resumed") {
  const Progress none;
  const Progress moved = at(State::progressing, 20);
  const Routes fresh({traffic_route("web", "dev")});
  const Json members = members_after(fresh.graph, fresh.own(), fresh.plan, none, moved, false);
  REQUIRE(members.size() == 1);
  CHECK(members_after(fresh.graph, fresh.own(), fresh.plan, moved, none, false).is_null());

  auto edited = traffic_route("web", "dev");
  edited.object = std::make_shared<const Json>(Json{
      {"metadata", {{"name", "web"}}},
      {"spec",
       {{"routes", Json::array({Json::object()})}, {"virtualClusterRef", {{"name", "dev"}}}}}});
  const std::string status = Json{{"members", members}}.dump();
  CHECK_FALSE(
      Routes({traffic_route("web", "dev")}, "dev", k_release, status).member(moved).changed);
  const Routes s({edited}, "dev", k_release, status);
  CHECK(s.member(moved).changed);
  const engine::Key route = route_key(s.own(), "web");
  CHECK(members_after(s.graph, s.own(), s.plan, moved, moved, false) == members);
  CHECK_FALSE(is_unchanged(s.graph, route, members));
  const Json anew = members_after(s.graph, s.own(), s.plan, moved, moved, true);
  CHECK(anew != members);
  CHECK(is_unchanged(s.graph, route, anew));
}

TEST_CASE("release routes: Pending and Failed leave their weights as they are") {
  const Routes s({traffic_route("web", "dev")});
  for (const State state : {State::pending, State::failed}) {
    CHECK_FALSE(override_of(s.graph, s.own(), s.plan, at(state, 20)));
  }
  const auto given = override_of(s.graph, s.own(), s.plan, at(State::rolled_back, 0));
  REQUIRE(given);
  CHECK_FALSE(given->moves());  // their own weights again
}

TEST_CASE("release routes: clients that stay have a cookie of this attempt") {
  Routes s({traffic_route("web", "dev")});
  s.plan.cookie = "c";
  Progress progress = at(State::progressing, 20);
  const auto value = [&] {
    return override_of(s.graph, s.own(), s.plan, progress)->shift->affinity.value;
  };
  const std::string first = value();
  CHECK(first.size() == 16);
  CHECK(value() == first);
  progress.attempt = 2;
  CHECK(value() != first);
}

TEST_CASE("release routes: conditions and copies end with the release") {
  Routes s({traffic_route("web", "dev")});
  s.plan.match = "header x == 'y'";
  s.plan.mirror.percent = 10;
  const auto running = override_of(s.graph, s.own(), s.plan, at(State::progressing, 20));
  CHECK(running->shift->match == "header x == 'y'");
  CHECK(running->shift->mirror.percent == 10);
  const auto over = override_of(s.graph, s.own(), s.plan, at(State::succeeded, 100));
  CHECK(over->final);
  CHECK(over->shift->match.empty());
  CHECK(over->shift->mirror.percent == 0);
}

TEST_CASE("release routes: what a wave has not reached keeps the step before") {
  Routes s({traffic_route("web", "eu"), traffic_route("web", "us")}, "");
  s.plan.in_waves = true;
  Progress progress = at(State::progressing, 50);
  progress.waves = 2;
  progress.from = 20;
  const auto given = override_of(s.graph, s.own(), s.plan, progress);
  CHECK(given->held == std::map<std::string, int>{{"us", 20}});
}

}  // namespace kubist::release
