#include "route_override.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/traffic/shift.hpp>

#include "releases.hpp"

namespace kubist::executors {

using data::Json;

namespace {

Json to_json(const RouteWish& wish, const std::string& for_spec) {
  if (!wish.shift) {
    return Json();
  }
  Json json = {{"by", wish.by},
               {"attempt", wish.attempt},
               {"destination", wish.shift->destination},
               {"stable", wish.shift->stable},
               {"canary", wish.shift->canary},
               {"percent", wish.shift->percent},
               {"forSpec", for_spec}};
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

}  // namespace

util::Result<MovedRoute> move_weights(Work& work, Json object) {
  MovedRoute moved{std::move(object), Json()};
  Json* routes = data::find_path(moved.object, {"spec", "routes"});
  if (routes == nullptr) {
    return moved;
  }
  const std::string for_spec = traffic::routes_hash(*routes);
  const Releases* releases = work.world().releases;
  const auto wish = releases != nullptr ? releases->wish_for(work.node().key) : std::nullopt;
  if (wish) {
    moved.moved_weights = to_json(*wish, for_spec);
  } else if (const Json* before = data::find_path(work.node().status(), {"override"});
             before != nullptr && still_holds(work, *before, for_spec)) {
    moved.moved_weights = *before;
  }
  const Json& shift = moved.moved_weights;
  if (!shift.is_null()) {
    KUBIST_TRY(*routes, traffic::shifted_routes(
                            *routes, {std::string(data::string_at(shift, {"destination"})),
                                      std::string(data::string_at(shift, {"stable"})),
                                      std::string(data::string_at(shift, {"canary"})),
                                      static_cast<int>(data::int_at(shift, {"percent"}))}));
  }
  return moved;
}

}  // namespace kubist::executors
