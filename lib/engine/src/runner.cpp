#include <algorithm>
#include <utility>

#include <kubist/util/threads.hpp>

#include "run_loop.hpp"

namespace kubist::engine {

namespace {

/// A node without an executor fails when its turn comes.
Followers followers_of(const ExecutorSet& executors) {
  return [&executors](const Node& node) {
    const auto executor = executors.find(node);
    return executor ? (*executor)->followers(node) : std::vector<Key>();
  };
}

/// Nodes that wait hold next to nothing, but may do so for good: their projects have more places.
constexpr std::size_t k_more_may_wait = 4;

/// The parallelism times `each` for a project, times `more` for all, and nearly as many for
/// projects that have none of these.
util::Shares shares_of(const RunOptions& options, std::size_t more = 1, std::size_t each = 1) {
  const std::size_t share = each * std::max<std::size_t>(options.parallelism, 1);
  return {share, 2 * more * share - 1};
}

PolicyVerdict broken_verdict(const util::Error& error) {
  PolicyVerdict verdict;
  verdict.status_policies = Json::array();
  verdict.error = error;
  verdict.trace.emplace_back().error = error;
  return verdict;
}

}  // namespace

Runner::Runner(const Graph& graph, const std::vector<NodeId>& selected, const RunInfo& info,
               const RunOptions& options, const RunParts& parts, const std::stop_token& stop)
    : m_graph(graph),
      m_options(options),
      m_parts(parts),
      m_stop(stop),
      m_context{graph, info, parts, stop},
      m_plan(graph, selected, options.mode, followers_of(parts.executors), options.left_out),
      m_runs(graph.size()),
      m_lanes{LanePlaces(shares_of(options)), LanePlaces(shares_of(options, k_more_may_wait)),
              LanePlaces(shares_of(options, k_more_may_wait, k_more_may_wait)),
              LanePlaces(shares_of(options))} {
  m_report.run = info;
  m_started = std::chrono::steady_clock::now();
  prepare_report();
}

Report Runner::run() {
  m_parts.observer.planned(m_graph, m_order);
  after_plan_moved();
  while (true) {
    if (m_stop.stop_requested() && !m_report.stopped) {
      stop_work();
    }
    start_work();
    if (is_at_work() || !m_parked.empty()) {
      wait_one();
    } else if (m_plan.finished()) {
      break;
    } else {
      m_plan.stop("NotReached");  // cannot happen while Plan keeps its promises
      after_plan_moved();
    }
  }
  record_above();
  return finish();
}

void Runner::prepare_report() {
  for (NodeId id : m_graph.preorder()) {
    if (!m_plan.selected(id)) {
      continue;
    }
    const Node& node = m_graph[id];
    NodeReport report;
    report.id = id;
    report.key = node.key;
    report.target = node.target;
    report.mode = m_plan.mode(id);
    bool top = node.parent == k_no_node || !m_plan.selected(node.parent);
    if (top) {
      m_report.roots.push_back(id);
    }
    std::copy_if(node.children.begin(), node.children.end(), std::back_inserter(report.children),
                 [&](NodeId child) { return m_plan.selected(child); });
    m_report.index.emplace(id, m_report.nodes.size());
    m_report.nodes.push_back(std::move(report));
    m_order.push_back(id);
    m_runs[id].status = node.status();
  }
}

NodeReport& Runner::report_of(NodeId id) { return m_report.nodes[m_report.index.at(id)]; }

Lane Runner::lane_of(NodeId id) const {
  const auto executor = m_parts.executors.find(m_graph[id]);
  const Waits waits = executor ? (*executor)->waits(m_graph[id]) : Waits::no;
  return waits == Waits::no ? Lane::step : waits == Waits::for_server ? Lane::reach : Lane::wait;
}

bool Runner::is_at_work() const {
  return std::any_of(m_lanes.begin(), m_lanes.end(),
                     [](const LanePlaces& lane) { return lane.queue.used() > 0; });
}

void Runner::add(Lane lane, std::size_t order, NodeId id, std::function<void()> job) {
  at(lane).queue.push(project_of(m_graph[id]), {id, std::move(job)}, order);
}

void Runner::free_place(Lane lane, NodeId id) { at(lane).queue.give_back(project_of(m_graph[id])); }

void Runner::start_work() {
  take_due();
  std::vector<NodeId> wave = std::exchange(m_gathered, {});
  while (const auto id = m_plan.next()) {
    start_planned(*id, wave);
  }
  start_policies(wave);
  for (LanePlaces& lane : m_lanes) {
    while (auto task = lane.queue.pop()) {
      lane.pool.submit(task->job ? std::move(task->job) : start_node(task->id));
    }
  }
}

void Runner::start_planned(NodeId id, std::vector<NodeId>& wave) {
  const Node& node = m_graph[id];
  const auto executor = m_parts.executors.find(node);
  if (m_plan.mode(id) == Mode::remove || node.policies.empty() ||
      (executor && !(*executor)->runs_policies(node))) {
    make_due(id, k_first + id);
    return;
  }
  begin_node(id);
  if (m_parts.world.gathers(node)) {
    start_gathering(id);
  } else {
    wave.push_back(id);
  }
}

void Runner::make_due(NodeId id, std::size_t order) { add(lane_of(id), order, id); }

void Runner::begin_node(NodeId id) {
  m_runs[id].settle_until = std::chrono::steady_clock::now() + m_options.settle;
  report_of(id).started_at = m_parts.clock.now();
  m_parts.observer.started(m_graph[id], m_plan.mode(id));
}

std::function<void()> Runner::start_node(NodeId id) {
  if (!m_runs[id].settle_until) {
    begin_node(id);
  }
  m_runs[id].waits_for.clear();
  auto telling = m_runs[id].step = std::make_shared<Telling>();
  return [this, id, mode = m_plan.mode(id), telling = std::move(telling)] {
    auto begin = std::chrono::steady_clock::now();
    const NodeRun& own = m_runs[id];
    const Progress progress{[this, id](std::string text) {
                              m_events.push(Progressed{id, std::move(text)});
                            },
                            *telling};
    auto step = util::guarded([&] {
      return mode == Mode::remove
                 ? remove_node(m_context, id, own.status, progress)
                 : align_node(m_context, id, own.policies ? &*own.policies : nullptr, own.status,
                              progress);
    });
    StepResult result = step ? *std::move(step) : broken_step(id, step.error());
    result.report.took = std::chrono::steady_clock::now() - begin;
    m_events.push(std::move(result));
  };
}

void Runner::start_gathering(NodeId id) {
  add(Lane::policy, k_again, id, [this, id] {
    // What was not gathered is asked for again by the policy that needs it, which fails by itself.
    static_cast<void>(util::guarded(
        [&] { m_parts.world.gather(m_graph[id], metric_uses(m_graph, id, m_parts.policies)); }));
    m_events.push(Gathered{id, std::nullopt});
  });
}

void Runner::start_calls(NodeId id) {
  add(Lane::policy, k_again, id, [this, id, calls = m_runs[id].policies->calls] {
    CallAnswers answers;
    for (const RequestedCall& each : calls) {
      const auto answer = util::guarded([&] { return m_parts.world.call(m_graph[id], each); });
      answers[each.policy][each.call.name] =
          answer ? *answer
                 : Json{{"reason", alignment_of(answer.error()).reason},
                        {"message", answer.error().message}};
    }
    m_events.push(Gathered{id, std::move(answers)});
  });
}

// Nodes of a project with policies that can start now go through them together, but nobody waits
// for a policy of somebody's own that it does not use. A policy may take as long as its input says:
// those of another project neither wait for it nor run into its limits.
void Runner::start_policies(const std::vector<NodeId>& wave) {
  using Own = std::vector<const PolicyDefinition*>;
  std::map<std::pair<std::string, Own>, std::vector<NodeId>> parts;
  for (const NodeId id : wave) {
    Own own;
    for (const auto& call : m_graph[id].policies) {
      const auto found = m_parts.policies.find(m_graph[id], call);
      if (found && (*found)->origin != k_built_in) {
        own.push_back(found->get());
      }
    }
    parts[{project_of(m_graph[id]), std::move(own)}].push_back(id);
  }
  for (auto& [of, nodes] : parts) {
    start_wave(std::move(nodes));
  }
}

void Runner::start_wave(std::vector<NodeId> wave) {
  PipelineOptions options{m_options.keep_trace, {}};
  for (const NodeId id : wave) {
    if (m_runs[id].answers) {
      options.answers.emplace(id, *m_runs[id].answers);
    }
  }
  const NodeId first = wave.front();
  add(Lane::policy, k_again, first, [this, wave = std::move(wave), options = std::move(options)] {
    auto verdicts = util::guarded([&] {
      return run_policies(m_graph, wave, m_parts.policies, m_parts.world, m_context.info,
                          m_parts.clock.now(), m_stop, options);
    });
    m_events.push(PoliciesRan{wave, verdicts ? *std::move(verdicts)
                                             : std::vector<PolicyVerdict>(
                                                   wave.size(), broken_verdict(verdicts.error()))});
  });
}

void Runner::take_due() {
  auto now = std::chrono::steady_clock::now();
  while (!m_parked.empty() && m_parked.begin()->first <= now) {
    make_due(m_parked.begin()->second);
    m_parked.erase(m_parked.begin());
  }
  while (!m_tellings.empty() && m_tellings.begin()->first <= now) {
    start_telling(m_tellings.begin()->second);
    m_tellings.erase(m_tellings.begin());
  }
}

void Runner::wait_one() {
  std::optional<Steady> until;
  for (const auto* timed : {&m_parked, &m_tellings}) {
    if (!timed->empty() && (!until || timed->begin()->first < *until)) {
      until = timed->begin()->first;
    }
  }
  // After a stop only what runs is waited for: the token would wake us at once.
  auto event = m_events.pop(until, m_report.stopped ? std::stop_token() : m_stop);
  if (event) {
    std::visit([this](auto& what) { handle(what); }, *event);
  }
}

void Runner::handle(StepResult& result) {
  free_place(lane_of(result.id), result.id);
  take_status(result);
  NodeId id = result.id;
  NodeReport& report = report_of(id);
  auto now = std::chrono::steady_clock::now();
  merge(report, result.report);
  m_runs[id].answer = std::move(result.answer);
  if (result.again && !m_report.stopped && m_options.settle.count() > 0) {
    auto at = now + *result.report.requeue_after;
    if (at <= *m_runs[id].settle_until) {
      m_parts.observer.progress(m_graph[id], report.message);
      m_parked.emplace(at, id);
      m_waiting_verdict[id] = result.verdict;
      if (result.verdict.children) {
        m_plan.release_children(id);
        after_plan_moved();
      }
      return;
    }
  }
  end_node(id, result.verdict);
}

void Runner::merge(NodeReport& report, NodeReport& step) {
  report.outcome = step.outcome;
  report.ready = step.ready;
  report.reason = std::move(step.reason);
  report.message = std::move(step.message);
  report.error = std::move(step.error);
  report.rolled_back = step.rolled_back;
  report.requeue_after = step.requeue_after;
  report.took += step.took;
  report.status_written = report.status_written || step.status_written;
  for (auto& write : step.writes) {
    report.writes.push_back(std::move(write));
  }
  for (auto& left : step.left_behind) {
    report.left_behind.push_back(std::move(left));
  }
}

void Runner::handle(Gathered& gathered) {
  free_place(Lane::policy, gathered.id);
  if (m_report.stopped) {
    cancel_node(gathered.id);
  } else {
    if (gathered.answers) {
      m_runs[gathered.id].answers = std::move(gathered.answers);
    }
    m_gathered.push_back(gathered.id);
  }
}

void Runner::handle(PoliciesRan& ran) {
  free_place(Lane::policy, ran.nodes.front());
  for (std::size_t i = 0; i < ran.nodes.size(); ++i) {
    NodeId id = ran.nodes[i];
    NodeReport& report = report_of(id);
    report.policies = ran.verdicts[i].trace;
    for (const PolicyTrace& trace : report.policies) {
      report.took += trace.took;
    }
    m_runs[id].policies = std::move(ran.verdicts[i]);
    if (m_report.stopped) {
      cancel_node(id);
    } else if (!m_runs[id].policies->calls.empty() && !m_runs[id].answers) {
      start_calls(id);
    } else {
      make_due(id);
    }
  }
}

void Runner::handle(Progressed& progressed) {
  m_parts.observer.progress(m_graph[progressed.id], progressed.message);
  m_runs[progressed.id].waits_for = std::move(progressed.message);
  plan_telling(progressed.id);
}

void Runner::handle(Told& told) { free_place(Lane::reach, told.id); }

void Runner::handle(Recorded& recorded) {
  free_place(Lane::step, recorded.result.id);
  --m_runs[recorded.result.id].writing;
  take_status(recorded.result);
  check_tree(m_graph[recorded.result.id].parent);
  if (recorded.result.report.status_written && m_report.find(recorded.result.id)) {
    report_of(recorded.result.id).status_written = true;
  }
}

void Runner::take_status(StepResult& result) {
  const Node& node = m_graph[result.id];
  if (result.status || result.status_error) {
    m_report.statuses[{node.key, node.target, result.of_tree}] = std::move(result.status_error);
  }
  if (result.status) {
    m_runs[result.id].status = std::move(*result.status);
  }
}

Report run(const Graph& graph, const std::vector<NodeId>& selected, const RunInfo& info,
           const RunOptions& options, const RunParts& parts, const std::stop_token& stop) {
  return Runner(graph, selected, info, options, parts, stop).run();
}

}  // namespace kubist::engine
