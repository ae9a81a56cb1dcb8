#include <algorithm>
#include <mutex>

#include <kubist/data/pointer.hpp>
#include <kubist/engine/graph.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/simulation/release_simulation.hpp>
#include <kubist/util/text.hpp>

#include "lots.hpp"
#include "simulated_release.hpp"

namespace kubist::simulation {

using data::Json;
using util::cat;
using util::ErrorKind;
using util::Result;

namespace {

// The policies of a lot go through the pipeline together: one call of a child process for all.
constexpr int k_release_lot = 64;

tl::unexpected<util::Error> unanswered(std::string_view what) {
  return util::fail(ErrorKind::invalid, cat(what, ", which a simulation cannot answer"),
                    "Leave that policy, metric or step out of what is simulated.");
}

std::vector<Json> all_approvals(const std::string& target) {
  std::vector<Json> approvals;
  for (int weight = 1; weight <= 100; ++weight) {
    approvals.push_back({{"apiVersion", resources::k_kubist_api_version},
                         {"kind", "Approval"},
                         {"metadata", {{"name", cat("simulated-", weight)}}},
                         {"spec", {{"target", target}, {"weight", weight}}}});
  }
  return approvals;
}

/// Some runs, whose evaluations at one time are taken together.
class Lot final : public engine::PolicyWorld {
 public:
  Lot(const ReleaseSimulation& simulation, const release::Plan& plan, int begin, int end,
      const std::stop_token& stop)
      : m_simulation(simulation), m_stop(stop), m_begin(begin) {
    for (int i = begin; i < end; ++i) {
      m_runs.emplace_back(simulation, plan, i);
    }
  }

  Result<> run(std::vector<SimulatedRun>& results) {
    for (auto due = next_due(); !due.empty() && !m_stop.stop_requested(); due = next_due()) {
      KUBIST_CHECK(look(due));
    }
    for (std::size_t i = 0; i < m_runs.size() && !m_stop.stop_requested(); ++i) {
      results[static_cast<std::size_t>(m_begin) + i] = m_runs[i].result();
    }
    return {};
  }

  Result<Json> metrics(const engine::Node& node, const engine::PolicyDefinition& definition,
                       const Json& parameters) override {
    Json answers = Json::object();
    for (const auto& [name, query] : engine::metrics_of(definition, parameters)) {
      if (!std::holds_alternative<engine::WindowQuery>(query)) {
        return unanswered(cat("it asks for ", to_string(query)));
      }
      answers[name] = of(node).window();
    }
    return answers;
  }
  Result<std::vector<Json>> observed(const engine::Node& node) override {
    std::vector<Json> items = m_simulation.routes;
    items.push_back(of(node).observation());
    return items;
  }
  Result<std::vector<Json>> approvals(const engine::Node& node) override {
    if (!m_simulation.approved) {
      return std::vector<Json>{};
    }
    return all_approvals(std::string(data::string_at(of(node).observation(), {"target", "name"})));
  }

 private:
  SimulatedRelease& of(const engine::Node& node) {
    return m_runs[static_cast<std::size_t>(std::stoi(node.uid) - m_begin)];
  }

  std::vector<SimulatedRelease*> next_due() {
    std::vector<SimulatedRelease*> due;
    for (SimulatedRelease& run : m_runs) {
      if (run.is_over()) {
        continue;
      }
      if (!due.empty() && run.next_look() < due.front()->next_look()) {
        due.clear();
      }
      if (due.empty() || run.next_look() == due.front()->next_look()) {
        due.push_back(&run);
      }
    }
    return due;
  }

  Result<> look(const std::vector<SimulatedRelease*>& due) {
    const std::chrono::seconds at = due.front()->next_look();
    std::vector<engine::Node> nodes;
    for (const auto& object : m_simulation.above) {
      nodes.push_back(engine::make_node(object));
    }
    for (SimulatedRelease* run : due) {
      run->arrive();
      if (!run->is_over()) {
        nodes.push_back(engine::make_node(run->object()));
      }
    }
    const engine::Graph graph = engine::Graph::build(std::move(nodes));
    std::vector<engine::NodeId> ids;
    for (const engine::Node& node : graph.nodes()) {
      if (node.key.kind == "CanaryRelease") {
        ids.push_back(node.id);
      }
    }
    const engine::RunInfo info{cat("simulation-", m_simulation.seed, '-', at.count()),
                               m_simulation.begins + at};
    const auto verdicts = engine::run_policies(graph, ids, *m_simulation.catalog, *this, info,
                                               info.started_at, m_stop);
    if (m_stop.stop_requested()) {
      return {};
    }
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (!verdicts[i].calls.empty()) {
        return unanswered(cat("it calls ", verdicts[i].calls.front().call.name));
      }
      KUBIST_CHECK(of(graph[ids[i]]).decide(verdicts[i]));
    }
    return {};
  }

  const ReleaseSimulation& m_simulation;
  const std::stop_token& m_stop;
  int m_begin;
  std::vector<SimulatedRelease> m_runs;
};

}  // namespace

Result<std::vector<SimulatedRun>> simulate(const ReleaseSimulation& simulation,
                                           const std::stop_token& stop) {
  KUBIST_TRY(const release::Plan plan, release::read_plan(*simulation.release));
  std::vector<SimulatedRun> results(static_cast<std::size_t>(simulation.runs));
  std::mutex mutex;
  int failed_at = simulation.runs;
  Result<> outcome;
  in_lots({simulation.runs, k_release_lot, simulation.threads}, stop, [&](int begin, int end) {
    const auto ran = Lot(simulation, plan, begin, end, stop).run(results);
    const std::lock_guard lock(mutex);
    if (!ran && begin < failed_at) {  // the same error on any number of threads
      failed_at = begin;
      outcome = util::fail(ran.error());
    }
    return ran.has_value();
  });
  KUBIST_CHECK(outcome);
  // A run that was not made has no look.
  std::erase_if(results, [](const SimulatedRun& run) { return run.looks == 0; });
  return results;
}

}  // namespace kubist::simulation
