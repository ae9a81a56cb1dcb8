#include "traffic/route_override.hpp"

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/traffic/shift.hpp>
#include <kubist/util/text.hpp>

#include "releases/releases.hpp"

namespace kubist::executors {

using data::Json;
using util::cat;

namespace {

Json to_json(const RouteWish& wish, const std::string& for_spec) {
  if (!wish.moves()) {
    return Json();
  }
  Json json = {{"by", wish.by}, {"attempt", wish.attempt}, {"forSpec", for_spec}};
  if (wish.split) {
    json["split"] = traffic::to_json(*wish.split);
    return json;
  }
  json.update(traffic::to_json(*wish.shift));
  if (wish.final) {
    json["final"] = true;
  }
  return json;
}

/// What stays of weights that nobody asks for in this run.
bool still_holds(const Work& work, const Json& moved, const std::string& for_spec) {
  if (data::bool_at(moved, {"final"})) {
    return data::string_at(moved, {"forSpec"}) == for_spec;
  }
  const auto by = resources::resolve_ref(*work.node().object, data::string_at(moved, {"by"}));
  if (!by) {
    return false;
  }
  const auto& graph = work.context().graph;
  const auto found = graph.find(*by);
  return !found.empty() && !graph[found.front()].deleting;
}

util::Result<Json> moved_routes(const Json& routes, const Json& moved) {
  if (const Json* split = data::find_path(moved, {"split"})) {
    return traffic::split_routes(routes, traffic::read_split(*split));
  }
  return traffic::shifted_routes(routes, traffic::read_shift(moved));
}

}  // namespace

util::Result<Json> lost_override(Work& work, const TrafficPlace& place,
                                 const kube::ApiResource& resource, const std::string& name) {
  const Json& status = work.node().status();
  if (status.contains("override") || status.contains("inventory")) {
    return Json();
  }
  KUBIST_TRY(const auto live, place.client->find(resource, place.ns, name, work.stop()));
  if (!live) {
    return Json();
  }
  const resources::ObjectView view(*live);
  const auto moved = data::parse_json(view.annotation(k_override_annotation), name);
  const bool ours = view.annotation(k_owner_annotation) == work.owner_mark();
  return ours && moved && moved->is_object() ? *moved : Json();
}

std::optional<resources::Condition> spec_behind(const Work& work, const Json& moved_weights) {
  constexpr const char* k_type = "SpecBehind";
  if (data::bool_at(moved_weights, {"final"})) {
    const std::string by(data::string_at(moved_weights, {"by"}));
    return resources::Condition{
        k_type, "True", "Released",
        cat(by, " gave version ", data::string_at(moved_weights, {"canary"}), " what ",
            data::string_at(moved_weights, {"stable"}),
            " had, and spec.routes does not say so: kubist canary promote ",
            by.substr(by.find('/') + 1), " --write FILE")};
  }
  const Json* before = engine::find_condition(work.node().status(), k_type);
  return before == nullptr ? std::nullopt
                           : std::optional(resources::Condition{k_type, "False", "InSync",
                                                                "spec.routes is what counts"});
}

util::Result<MovedRoute> move_weights(Work& work, Json object, const Json& lost) {
  MovedRoute moved{std::move(object), Json()};
  Json* routes = data::find_path(moved.object, {"spec", "routes"});
  if (routes == nullptr) {
    return moved;
  }
  const std::string for_spec = traffic::routes_hash(*routes);
  const Releases* releases = work.world().releases;
  auto wish = releases != nullptr ? releases->wish_for(work.node().key) : std::nullopt;
  wish = wish ? wish->on(work.node().target) : wish;
  const Json* before = data::find_path(work.node().status(), {"override"});
  before = before == nullptr && !lost.is_null() ? &lost : before;
  // Who gives its own weights back does not give back another's.
  const bool counts =
      wish && (wish->moves() || before == nullptr || data::string_at(*before, {"by"}) == wish->by);
  if (counts) {
    moved.moved_weights = to_json(*wish, for_spec);
  } else if (before != nullptr && still_holds(work, *before, for_spec)) {
    moved.moved_weights = *before;
  }
  if (!moved.moved_weights.is_null()) {
    KUBIST_TRY(*routes, moved_routes(*routes, moved.moved_weights));
  }
  return moved;
}

}  // namespace kubist::executors
