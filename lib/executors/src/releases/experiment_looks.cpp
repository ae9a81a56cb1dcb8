#include "releases/experiment_looks.hpp"

#include <kubist/engine/resource_list.hpp>
#include <kubist/release/experiment_observation.hpp>
#include <kubist/release/experiment_route.hpp>
#include <kubist/release/routes.hpp>

#include "keep/sites.hpp"
#include "keep/traffic_place.hpp"
#include "releases/experiment_goals.hpp"

namespace kubist::executors {

std::vector<data::Json> observed_of(const ExperimentLook& look) {
  std::vector<data::Json> items;
  if (look.route != nullptr) {
    items.push_back(engine::resource_for_policies(*look.route->object));
  }
  items.push_back(experiment::observation(look.plan, look.before, look.reading));
  return items;
}

util::Result<std::shared_ptr<const ExperimentLook>> ExperimentLooks::of(
    const engine::Node& node, const std::stop_token& stop) {
  return m_looks.get(node.id, [&] { return take(node, stop); });
}

util::Result<std::shared_ptr<const ExperimentLook>> ExperimentLooks::take(
    const engine::Node& node, const std::stop_token& stop) {
  ExperimentLook look;
  KUBIST_TRY(look.plan, experiment::read_plan(*node.object));
  look.before = experiment::read_progress(node.status(), look.plan);
  const auto found = m_graph.find(release::route_key(node, look.plan.route));
  look.route = found.empty() ? nullptr : &m_graph[found.front()];
  const auto seen = experiment::see_route(node, look.route, std::nullopt);
  const auto now = m_world.clock->now();
  if (experiment::reads(look.plan, look.before, seen, now)) {
    KUBIST_CHECK(require_project(m_graph, node.key.ns));
    KUBIST_TRY(const auto place, m_world.sites.of(m_graph, node.key.ns, node.target, stop));
    look.reading = read_goals(m_sources, node, look.plan, place.client, stop);
    look.reading->at = now;
  }
  return std::make_shared<const ExperimentLook>(std::move(look));
}

}  // namespace kubist::executors
