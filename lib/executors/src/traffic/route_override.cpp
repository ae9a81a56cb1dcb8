#include "traffic/route_override.hpp"

#include <algorithm>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "releases/releases.hpp"
#include "world/shared_lists.hpp"

namespace kubist::executors {

using data::Json;
using traffic::Override;
using util::cat;

namespace {

/// Does what nobody asks for in this run stay?
bool still_holds(const Work& work, const Override& given, const std::string& for_spec) {
  if (given.final) {
    return given.for_spec == for_spec;
  }
  const auto by = resources::resolve_ref(*work.node().object, given.by);
  if (!by) {
    return false;
  }
  const auto& graph = work.context().graph;
  const auto found = graph.find(*by);
  return !found.empty() && !graph[found.front()].deleting;
}

}  // namespace

util::Result<std::optional<Override>> lost_override(Work& work, const TrafficPlace& place,
                                                    const kube::ApiResource& resource,
                                                    const std::string& name) {
  const Json& status = work.node().status();
  if (status.contains("override") || status.contains("inventory")) {
    return std::nullopt;
  }
  KUBIST_TRY(const auto all, work.world().lists->list(*place.client, resource, place.ns,
                                                      work.node().key.ns, work.stop()));
  const auto live = std::find_if(all->begin(), all->end(), [&](const Json& each) {
    return resources::ObjectView(each).name() == name;
  });
  if (live == all->end()) {
    return std::nullopt;
  }
  const resources::ObjectView view(*live);
  const auto given = data::parse_json(view.annotation(k_override_annotation), name);
  const bool ours = view.annotation(resources::k_owner_annotation) == work.owner_mark();
  return ours && given ? traffic::read_override(&*given) : std::nullopt;
}

std::optional<resources::Condition> spec_behind(const engine::Node& route,
                                                const std::optional<Override>& given) {
  constexpr const char* k_type = "SpecBehind";
  if (given && given->final) {
    return resources::Condition{
        k_type, "True", "Released",
        cat(given->by, " gave version ", given->shift ? given->shift->canary : "", " what ",
            given->shift ? given->shift->stable : "",
            " had, and spec.routes does not say so: kubist canary promote ",
            given->by.substr(given->by.find('/') + 1), " --write FILE")};
  }
  const Json* before = engine::find_condition(route.status(), k_type);
  return before == nullptr ? std::nullopt
                           : std::optional(resources::Condition{k_type, "False", "InSync",
                                                                "spec.routes is what counts"});
}

util::Result<MovedRoute> move_weights(Work& work, Json object,
                                      const std::optional<Override>& lost) {
  MovedRoute moved{std::move(object), std::nullopt};
  Json* routes = data::find_path(moved.object, {"spec", "routes"});
  if (routes == nullptr) {
    return moved;
  }
  const std::string for_spec = traffic::routes_hash(*routes);
  const Releases* releases = work.world().releases;
  auto wanted = releases != nullptr ? releases->override_of(work.node().key) : std::nullopt;
  if (wanted) {
    wanted = wanted->on(work.node().target);
    wanted->for_spec = for_spec;
  }
  auto before = traffic::read_override(data::find_path(work.node().status(), {"override"}));
  before = before ? before : lost;
  // Who gives its own weights back does not give back another's.
  if (wanted && (wanted->moves() || !before || before->by == wanted->by)) {
    moved.given = wanted->moves() ? wanted : std::nullopt;
  } else if (before && still_holds(work, *before, for_spec)) {
    moved.given = before;
  }
  if (moved.given) {
    KUBIST_TRY(*routes, traffic::overridden_routes(*routes, *moved.given));
  }
  return moved;
}

}  // namespace kubist::executors
