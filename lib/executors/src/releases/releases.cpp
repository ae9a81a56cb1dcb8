#include "releases/releases.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/executors/tree.hpp>
#include <kubist/kube/room.hpp>
#include <kubist/release/observation.hpp>
#include <kubist/release/routes.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/selector.hpp>
#include <kubist/util/text.hpp>

#include "keep/sites.hpp"
#include "releases/experiment_looks.hpp"
#include "releases/release_calls.hpp"
#include "releases/release_listing.hpp"
#include "releases/release_metrics.hpp"
#include "releases/release_workloads.hpp"

namespace kubist::executors {

using data::Json;

namespace {

constexpr std::string_view k_canary_release = "CanaryRelease";
constexpr std::string_view k_experiment = "Experiment";

util::Result<std::vector<Json>> list_approvals(kube::Client& home, const std::string& ns,
                                               const std::stop_token& stop) {
  const auto* kind = resources::find_kind(resources::k_kubist_group, "Approval");
  kube::Room room;
  kube::ListOptions options;
  options.room = &room;  // an Approval that nobody can read approves of nothing
  auto listed = home.list(resource_of(*kind), ns, options, stop);
  if (!listed) {
    auto error = util::with_context(listed.error(), util::cat("cannot list approvals in ", ns));
    error.hint = error.kind == util::ErrorKind::not_found
                     ? "Install kubist's kinds on this cluster with 'kubist init'."
                     : error.hint;
    return util::fail(std::move(error));
  }
  std::vector<Json> approvals;
  for (const Json& approval : listed->items) {
    approvals.push_back(engine::resource_for_policies(approval));
  }
  return approvals;
}

/// Reads a CanaryRelease and asks for what runs of its versions.
util::Result<release::Snapshot> take_snapshot(World& world, const engine::Graph& graph,
                                              ReleaseListing& listing, const engine::Node& node,
                                              const data::Json& spec, const std::stop_token& stop) {
  KUBIST_TRY(release::Snapshot snapshot, release::read_snapshot(graph, node, spec));
  const std::string selector = resources::label_text(snapshot.canary.labels);
  const auto see = [&](const std::string& target) -> util::Result<release::Seen> {
    KUBIST_TRY(const auto place, world.sites.of(graph, node.key.ns, target, stop));
    if (world.reads_workloads) {
      world.reads_workloads(node.key, {place.client, target, place.ns, true});
    }
    KUBIST_TRY(const auto there, listing.list(node, target, place, selector, stop));
    return release::see_target(*there, place.ns, target, snapshot);
  };
  auto members = std::move(snapshot.seen.members);
  if (!node.target.empty()) {
    KUBIST_TRY(snapshot.seen, see(node.target));
  } else {
    snapshot.seen =
        release::see_targets(release::targets_of(graph, node), see, snapshot.plan.canary);
  }
  snapshot.seen.members = std::move(members);
  return snapshot;
}

}  // namespace

Releases::Releases(World& world, const engine::Graph& graph, std::stop_token stop)
    : m_world(world),
      m_graph(graph),
      m_stop(std::move(stop)),
      m_listing(std::make_unique<ReleaseListing>(graph)),
      m_metrics(std::make_unique<ReleaseMetrics>(world, graph)),
      m_workloads(std::make_unique<ReleaseWorkloads>(world, graph)),
      m_calls(std::make_unique<ReleaseCalls>(world, graph)),
      m_experiments(std::make_unique<ExperimentLooks>(world, graph)) {}

Releases::~Releases() = default;

util::Result<std::shared_ptr<const release::Snapshot>> Releases::snapshot(const engine::Node& node,
                                                                          const Json& spec) {
  return m_snapshots.get(node.id, [&]() -> util::Result<std::shared_ptr<const release::Snapshot>> {
    KUBIST_TRY(auto taken, take_snapshot(m_world, m_graph, *m_listing, node, spec, m_stop));
    return std::make_shared<const release::Snapshot>(std::move(taken));
  });
}

util::Result<release::Measurement> Releases::window(const engine::Node& node) {
  KUBIST_TRY(const auto taken, snapshot(node, node.spec()));
  return m_windows.get(node.id,
                       [&] { return m_metrics->measure(node, *taken, node.spec(), m_stop); });
}

util::Result<Json> Releases::call(const engine::Node& node, const engine::RequestedCall& call) {
  KUBIST_TRY(const auto taken, snapshot(node, node.spec()));
  return m_calls->answer(node, *taken, call, m_stop);
}

util::Result<Json> Releases::answer(const engine::Node& node, const engine::Query& query,
                                    const Json& parameters) {
  KUBIST_TRY(const auto taken, snapshot(node, node.spec()));
  if (const auto* web = std::get_if<engine::WebQuery>(&query)) {
    return m_read.get({node.id, to_string(query)}, [&]() -> util::Result<Json> {
      return m_calls->read(node, *taken, *web, m_stop);
    });
  }
  if (const auto* workload = std::get_if<engine::WorkloadQuery>(&query)) {
    return m_workloads->answer(node, *taken, *workload, m_stop);
  }
  return m_metrics->answer(node, *taken, {std::get<engine::PromqlQuery>(query), parameters},
                           m_stop);
}

util::Result<std::shared_ptr<const ExperimentLook>> Releases::experiment(const engine::Node& node) {
  return m_experiments->of(node, m_stop);
}

bool Releases::gathers(const engine::Node& node) const {
  return node.key.kind == k_canary_release || node.key.kind == k_experiment;
}

void Releases::gather(const engine::Node& node, const std::vector<engine::PolicyUse>& uses) {
  if (node.key.kind == k_experiment) {
    static_cast<void>(experiment(node));
    return;
  }
  const auto coming = m_metrics->coming();
  static_cast<void>(snapshot(node, node.spec()));
  for (const engine::PolicyUse& use : uses) {
    static_cast<void>(metrics(node, *use.definition, use.parameters));
  }
}

util::Result<Json> Releases::metrics(const engine::Node& node,
                                     const engine::PolicyDefinition& definition,
                                     const Json& parameters) {
  if (node.key.kind != k_canary_release) {
    return PolicyWorld::metrics(node, definition, parameters);
  }
  Json answers = Json::object();
  const engine::Queries asked = engine::metrics_of(definition, parameters);
  const Json* open = nullptr;
  for (const auto& [name, query] : asked) {
    if (std::holds_alternative<engine::WindowQuery>(query)) {
      KUBIST_TRY(const release::Measurement measured, window(node));
      answers[name] = measured.window;
      open = release::is_between(measured.window) ? &answers[name] : open;
    }
  }
  for (const auto& [name, query] : asked) {
    if (std::holds_alternative<engine::WindowQuery>(query)) {
      continue;
    }
    if (open != nullptr) {  // nothing is judged before the window is over
      answers[name] = *open;
    } else {
      KUBIST_TRY(answers[name], answer(node, query, parameters));
    }
  }
  return answers;
}

std::optional<release::Measurement> Releases::measured(const engine::Node& node) {
  const auto window = m_windows.last(node.id);
  return window && *window ? std::optional(**window) : std::nullopt;
}

util::Result<std::vector<Json>> Releases::observed(const engine::Node& node) {
  std::vector<Json> items;
  if (node.key.kind == k_experiment) {
    KUBIST_TRY(const auto look, experiment(node));
    return observed_of(*look);
  }
  if (node.key.kind != k_canary_release) {
    return items;
  }
  KUBIST_TRY(const auto taken, snapshot(node, node.spec()));
  for (const std::string& route : taken->plan.routes) {
    if (const auto found = m_graph.find(release::route_key(node, route)); !found.empty()) {
      items.push_back(engine::resource_for_policies(*m_graph[found.front()].object));
    }
  }
  items.push_back(release::observation(taken->plan, taken->seen));
  return items;
}

util::Result<std::vector<Json>> Releases::approvals(const engine::Node& node) {
  KUBIST_TRY(const auto all, m_approvals.get(node.key.ns, [&] {
    return list_approvals(*m_world.home, node.key.ns, m_stop);
  }));
  std::vector<Json> own;
  std::copy_if(all.begin(), all.end(), std::back_inserter(own), [&](const Json& approval) {
    return data::string_at(approval, {"spec", "release"}) == node.key.name;
  });
  return own;
}

void Releases::give(const engine::Key& route, traffic::Override given) {
  const std::lock_guard lock(m_mutex);
  const auto [known, fresh] = m_overrides.try_emplace(route, given);
  if (!fresh && (given.moves() || known->second.by == given.by)) {
    known->second = std::move(given);
  }
}

std::optional<traffic::Override> Releases::override_of(const engine::Key& route) const {
  const std::lock_guard lock(m_mutex);
  const auto found = m_overrides.find(route);
  return found == m_overrides.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace kubist::executors
