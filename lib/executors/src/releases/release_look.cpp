#include "releases/release_look.hpp"

#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/traffic/destination.hpp>
#include <kubist/util/text.hpp>

#include "keep/sites.hpp"
#include "keep/traffic_place.hpp"
#include "releases/release_target.hpp"

namespace kubist::executors {

using data::Json;
using util::cat;

namespace {

const engine::Node* find_one(const engine::Graph& graph, const engine::Key& key) {
  const auto found = graph.find(key);
  return found.empty() ? nullptr : &graph[found.front()];
}

util::Error unknown(std::string reason, std::string message) {
  return util::make_error(util::ErrorKind::invalid, std::move(message), "", std::move(reason));
}

/// The labels of the pods of one version.
util::Result<Json> version_labels(const engine::Graph& graph, const engine::Node& node,
                                  const release::Plan& plan, const std::string& version) {
  const engine::Node* found =
      find_one(graph, {node.key.group, "Destination", node.key.ns, plan.destination});
  if (found == nullptr) {
    return util::fail(unknown(
        "UnknownDestination",
        cat("spec.destination: there is no Destination ", plan.destination, " in ", node.key.ns)));
  }
  KUBIST_TRY(const auto destination, traffic::read_destination(*found->object));
  const auto subset = destination.subsets.find(version);
  if (subset == destination.subsets.end()) {
    return util::fail(unknown("UnknownSubset",
                              cat("Destination ", plan.destination, " has no version ", version)));
  }
  Json labels = destination.selector;
  labels.update(subset->second.labels);
  return labels;
}

/// Why answers of the route cannot set a cookie, as spec.sessionAffinity wants; empty: they can.
std::string no_cookies(const engine::Node& route) {
  if (data::bool_at(route.spec(), {"object", "borrow"})) {
    return "it is borrowed: of its object only weights are written, and sessionAffinity needs more";
  }
  return data::string_at(route.status(), {"mode"}) == "HTTPRoute"
             ? "it is an HTTPRoute, and sessionAffinity needs a VirtualService"
             : "";
}

/// A route of the release where it is kept; null: nowhere.
release::Member member_of(const engine::Node& node, const engine::Node* found,
                          const std::string& route, const release::Progress& progress) {
  release::Member member;
  member.name =
      found == nullptr || !node.target.empty() ? route : cat(route, " on ", found->target);
  member.cluster = found == nullptr || !node.target.empty() ? "" : found->target;
  if (found == nullptr || found->deleting) {
    member.there = false;
    return member;
  }
  const Json& status = found->status();
  member.settled = found->status_summary.ready == "True" &&
                   found->status_summary.observed_generation >= found->generation;
  if (const Json* ready = engine::find_condition(status, "Ready"); !member.settled && ready) {
    member.message = data::string_at(*ready, {"message"});
  }
  const Json* moved = data::find_path(status, {"override"});
  if (moved != nullptr &&
      data::string_at(*moved, {"by"}) == cat(node.key.kind, '/', node.key.name)) {
    member.weight = static_cast<int>(data::int_at(*moved, {"percent"}));
    member.attempt = static_cast<int>(data::int_at(*moved, {"attempt"}));
    member.settled = member.settled && member.attempt == progress.attempt;
    if (data::bool_at(*moved, {"final"}) && member.attempt < progress.attempt) {
      member.message = cat("its spec.routes is behind the last release: kubist canary promote ",
                           node.key.name, " --write FILE");
    }
  } else if (moved != nullptr && data::find_path(*moved, {"split"}) != nullptr) {
    member.settled = false;
    member.message = cat(data::string_at(*moved, {"by"}), " has its requests until it ends");
  }
  if (progress.state == release::State::pending && node.spec().contains("sessionAffinity")) {
    const std::string why = no_cookies(*found);
    member.settled = member.settled && why.empty();
    member.message = why.empty() ? member.message : why;
  }
  const Json* members = data::find_path(node.status(), {"members"});
  for (const Json& known : members != nullptr ? *members : Json::array()) {
    const Json* routes = data::find_path(found->spec(), {"routes"});
    member.changed =
        member.changed || (data::string_at(known, {"route"}) == route && routes &&
                           data::string_at(known, {"forSpec"}) != traffic::routes_hash(*routes));
  }
  return member;
}

std::vector<release::Member> members_at(const engine::Graph& graph, const engine::Node& node,
                                        const std::string& route,
                                        const release::Progress& progress) {
  std::vector<release::Member> members;
  for (const engine::NodeId id : graph.find(route_key(node, route))) {
    if (!graph[id].leaving) {
      members.push_back(member_of(node, &graph[id], route, progress));
    }
  }
  if (members.empty()) {
    members.push_back(member_of(node, nullptr, route, progress));
  }
  return members;
}

}  // namespace

engine::Key route_key(const engine::Node& release, const std::string& route) {
  return {release.key.group, "TrafficRoute", release.key.ns, route};
}

std::vector<engine::Key> routes_of(const engine::Node& release) {
  std::vector<engine::Key> routes;
  if (release.key.kind == "Experiment") {
    routes.push_back(route_key(release, std::string(data::string_at(release.spec(), {"route"}))));
  }
  const Json* named = data::find_path(release.spec(), {"routes"});
  if (release.key.kind == "CanaryRelease" && named != nullptr && named->is_array()) {
    for (const Json& route : *named) {
      routes.push_back(route_key(release, route.is_string() ? route.get<std::string>() : ""));
    }
  }
  return routes;
}

std::string pending_request(const engine::Node& node) {
  std::string request = node.annotation(resources::k_request_annotation);
  return request == data::string_at(node.status(), {"handledRequest", "request"}) ? std::string()
                                                                                  : request;
}

engine::HandledRequest answered(const std::string& request, bool done, const std::string& message,
                                std::string_view what) {
  return done ? engine::HandledRequest{request, "Done", message}
              : engine::HandledRequest{request, "Refused", cat("means nothing while ", what)};
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

util::Result<> check_one_target(const engine::Graph& graph, const engine::Key& route) {
  for (const engine::NodeId id : graph.find(route)) {
    if (graph[id].selected) {
      return util::fail(
          refused("RouteOnMany",
                  cat("TrafficRoute ", route.name,
                      " is kept by a virtualClusterSelector, and "
                      "weights are moved on one virtual cluster alone"),
                  "Leave the virtualClusterRef out: then it is moved wherever it is kept."));
    }
  }
  return {};
}

util::Result<ReleaseLook> look_at_release(World& world, const engine::Graph& graph,
                                          ReleaseListing& listing, const engine::Node& node,
                                          const Json& spec, const std::stop_token& stop) {
  ReleaseLook look;
  KUBIST_TRY(look.plan, release::read_plan({{"spec", spec}}));
  look.before = release::read_progress(node.status());
  for (const std::string& route : look.plan.routes) {
    KUBIST_CHECK(node.target.empty() ? util::Result<>{}
                                     : check_one_target(graph, route_key(node, route)));
  }
  KUBIST_TRY(look.canary.labels, version_labels(graph, node, look.plan, look.plan.canary));
  KUBIST_TRY(look.stable.labels, version_labels(graph, node, look.plan, look.plan.stable));
  const auto look_there = [&](const std::string& target) -> util::Result<release::Seen> {
    KUBIST_TRY(const auto place, world.sites.of(graph, node.key.ns, target, stop));
    KUBIST_TRY(const auto there,
               listing.list(node, target, place, label_text(look.canary.labels), stop));
    return look_at_target(*there, place, target, look);
  };
  if (!node.target.empty()) {
    KUBIST_TRY(look.seen, look_there(node.target));
  } else {
    look.seen = joined(targets_of(graph, node), look_there, look.plan.canary);
  }
  for (const std::string& route : look.plan.routes) {
    auto members = members_at(graph, node, route, look.before);
    std::move(members.begin(), members.end(), std::back_inserter(look.seen.members));
  }
  return look;
}

Json members_of(const engine::Graph& graph, const engine::Node& node, const release::Plan& plan) {
  Json members = Json::array();
  for (const std::string& route : plan.routes) {
    const engine::Node* found = find_one(graph, route_key(node, route));
    const Json* routes = found != nullptr ? data::find_path(found->spec(), {"routes"}) : nullptr;
    members.push_back(
        {{"route", route}, {"forSpec", routes != nullptr ? traffic::routes_hash(*routes) : ""}});
  }
  return members;
}

}  // namespace kubist::executors
