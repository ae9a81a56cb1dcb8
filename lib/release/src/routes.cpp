#include <algorithm>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/release/routes.hpp>
#include <kubist/release/waves.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

namespace kubist::release {

using data::Json;
using util::cat;

namespace {

/// Why answers of the route cannot set a cookie, as spec.sessionAffinity wants; empty: they can.
std::string no_cookies(const engine::Node& route) {
  if (data::bool_at(route.spec(), {"object", "borrow"})) {
    return "it is borrowed: of its object only weights are written, and sessionAffinity needs more";
  }
  return data::string_at(route.status(), {"mode"}) == "HTTPRoute"
             ? "it is an HTTPRoute, and sessionAffinity needs a VirtualService"
             : "";
}

/// Has the route another spec than `members` recorded? Nothing: they have none of it, or it has
/// none.
std::optional<bool> is_changed(const engine::Node& route, const Json& members) {
  const auto known = std::find_if(members.begin(), members.end(), [&](const Json& member) {
    return data::string_at(member, {"route"}) == route.key.name;
  });
  if (known == members.end() || !route.spec().contains("routes")) {
    return std::nullopt;
  }
  return data::string_at(*known, {"forSpec"}) != hash_of(route);
}

void read_override(const engine::Node& release, const traffic::Override& given,
                   const Progress& progress, Member& member) {
  if (given.by == owner_of(release)) {
    member.weight = given.shift ? given.shift->percent : 0;
    member.attempt = given.attempt;
    member.settled = member.settled && member.attempt == progress.attempt;
    if (given.final && member.attempt < progress.attempt) {
      member.message = cat("its spec.routes is behind the last release: kubist canary promote ",
                           release.key.name, " --write FILE");
    }
  } else if (given.split) {
    member.settled = false;
    member.message = cat(given.by, " has its requests until it ends");
  }
}

Member member_of(const engine::Node& release, const engine::Node& route, std::string name,
                 const Progress& progress) {
  Member member;
  member.name = std::move(name);
  member.cluster = release.target.empty() ? route.target : "";
  if (route.deleting) {
    member.there = false;
    return member;
  }
  member.settled = is_settled(route, member.message);
  if (const auto given = traffic::read_override(data::find_path(route.status(), {"override"}))) {
    read_override(release, *given, progress, member);
  }
  if (progress.state == State::pending && release.spec().contains("sessionAffinity")) {
    const std::string why = no_cookies(route);
    member.settled = member.settled && why.empty();
    member.message = why.empty() ? member.message : why;
  }
  member.changed = is_changed(route, data::array_at(release.status(), {"members"})).value_or(false);
  return member;
}

}  // namespace

std::string owner_of(const engine::Node& release) {
  return cat(release.key.kind, '/', release.key.name);
}

bool is_settled(const engine::Node& route, std::string& message) {
  const bool settled = route.recorded_ready();
  const Json* ready = engine::find_condition(route.status(), "Ready");
  if (!settled && ready != nullptr) {
    message = data::string_at(*ready, {"message"});
  }
  return settled;
}

std::string hash_of(const engine::Node& route) {
  const Json* routes = data::find_path(route.spec(), {"routes"});
  return routes != nullptr ? traffic::routes_hash(*routes) : "";
}

engine::Key route_key(const engine::Node& release, const std::string& route) {
  return {release.key.group, "TrafficRoute", release.key.ns, route};
}

std::vector<engine::Key> routes_of(const engine::Node& release) {
  std::vector<engine::Key> routes;
  if (release.key.kind == "Experiment") {
    routes.push_back(route_key(release, std::string(data::string_at(release.spec(), {"route"}))));
  }
  if (release.key.kind == "CanaryRelease") {
    for (const Json& route : data::array_at(release.spec(), {"routes"})) {
      routes.push_back(route_key(release, route.is_string() ? route.get<std::string>() : ""));
    }
  }
  return routes;
}

std::vector<std::string> targets_of(const engine::Graph& graph, const engine::Node& release) {
  if (!release.target.empty()) {
    return {release.target};
  }
  std::set<std::string> names;
  for (const engine::Key& route : routes_of(release)) {
    for (const engine::NodeId id : graph.find(route)) {
      if (!graph[id].leaving && !graph[id].target.empty()) {
        names.insert(graph[id].target);
      }
    }
  }
  return {names.begin(), names.end()};
}

util::Result<> check_one_target(const engine::Graph& graph, const engine::Node& release,
                                const std::vector<std::string>& routes) {
  for (const std::string& route : routes) {
    const auto found = graph.find(route_key(release, route));
    if (!release.target.empty() && std::any_of(found.begin(), found.end(), [&](engine::NodeId id) {
          return graph[id].selected != nullptr;
        })) {
      return util::fail(util::ErrorKind::invalid,
                        cat("TrafficRoute ", route,
                            " is kept by a virtualClusterSelector, and weights are moved on one "
                            "virtual cluster only"),
                        "Leave the virtualClusterRef out: then it is moved wherever it is kept.",
                        "RouteOnMany");
    }
  }
  return {};
}

std::vector<Member> members_of(const engine::Graph& graph, const engine::Node& release,
                               const std::vector<std::string>& routes, const Progress& progress) {
  std::vector<Member> members;
  for (const std::string& route : routes) {
    const std::size_t before = members.size();
    for (const engine::NodeId id : graph.find(route_key(release, route))) {
      const engine::Node& found = graph[id];
      if (!found.leaving) {
        members.push_back(
            member_of(release, found,
                      release.target.empty() ? cat(route, " on ", found.target) : route, progress));
      }
    }
    if (members.size() == before) {
      members.emplace_back();
      members.back().name = route;
      members.back().there = false;
    }
  }
  return members;
}

Json members_after(const engine::Graph& graph, const engine::Node& release, const Plan& plan,
                   const Progress& before, const Progress& after, bool resumed) {
  if (!is_moved(after)) {
    return Json();
  }
  const Json* known = data::find_path(release.status(), {"members"});
  if (is_moved(before) && !resumed && known != nullptr) {
    return *known;
  }
  Json members = Json::array();
  for (const std::string& route : plan.routes) {
    const auto found = graph.find(route_key(release, route));
    members.push_back(
        {{"route", route}, {"forSpec", found.empty() ? "" : hash_of(graph[found.front()])}});
  }
  return members;
}

bool is_unchanged(const engine::Graph& graph, const engine::Key& route, const Json& members) {
  const auto found = graph.find(route);
  return !found.empty() && is_changed(graph[found.front()], members) == false;
}

std::optional<traffic::Override> override_of(const engine::Graph& graph,
                                             const engine::Node& release, const Plan& plan,
                                             const Progress& progress) {
  if (progress.state == State::pending || progress.state == State::failed) {
    return std::nullopt;
  }
  traffic::Override given;
  given.by = owner_of(release);
  given.attempt = progress.attempt;
  given.final = progress.state == State::succeeded;
  const auto targets = targets_of(graph, release);
  for (const auto& [cluster, wave] : waves_of(plan, {targets.begin(), targets.end()})) {
    if (wave > progress.wave) {  // the step has not reached it
      given.held[cluster] = progress.from;
    }
  }
  if (is_moved(progress)) {
    // The same in every run of an attempt, and in no other attempt.
    const std::string cookie = util::sha256_hex(cat(release.uid, '/', progress.attempt));
    given.shift = traffic::Shift{plan.destination,
                                 plan.stable,
                                 plan.canary,
                                 progress.weight,
                                 given.final ? std::string() : plan.match,
                                 given.final ? traffic::Copies() : plan.mirror,
                                 {plan.cookie, cookie.substr(0, 16), plan.cookie_age}};
  }
  return given;
}

void keep_present(const engine::Node* route, traffic::Override& given) {
  const auto present = traffic::read_override(
      route != nullptr ? data::find_path(route->status(), {"override"}) : nullptr);
  const bool own = present && present->by == given.by && present->attempt == given.attempt;
  if (given.split) {
    given.split = own ? present->split : std::nullopt;
  }
  if (given.shift && !given.final) {
    const int percent = given.shift->percent;
    given.shift = own ? present->shift : std::nullopt;
    if (given.shift) {
      given.shift->percent = percent;
    }
  }
}

}  // namespace kubist::release
