#include <deque>

#include <kubist/engine/runner.hpp>

#include "event_queue.hpp"
#include "steps.hpp"
#include "worker_pool.hpp"

namespace kubist::engine {

namespace {

/// What the loop keeps about one selected node. Only the loop's thread touches it; workers get
/// copies or look at parts that do not change while they run.
struct NodeRun {
  std::optional<PolicyVerdict> policies;
  Json status;  ///< as last written or read
  std::optional<Steady> settle_until;
};

class Runner {
 public:
  Runner(const Graph& graph, const std::vector<NodeId>& selected, const RunInfo& info,
         const RunOptions& options, const RunParts& parts, const std::stop_token& stop)
      : m_graph(graph),
        m_options(options),
        m_parts(parts),
        m_stop(stop),
        m_context{graph, info, m_options, parts, stop},
        m_plan(graph, selected, options.mode),
        m_runs(graph.size()),
        m_pool(options.parallelism) {
    m_options.parallelism = std::max<std::size_t>(options.parallelism, 1);
    m_report.run = info;
    m_started = std::chrono::steady_clock::now();
    prepare_report();
  }

  Report run() {
    m_parts.observer.planned(m_graph, m_order);
    after_plan_moved();
    while (true) {
      if (m_stop.stop_requested() && !m_report.stopped) {
        stop_work();
      }
      start_work();
      if (m_in_flight > 0 || !m_parked.empty()) {
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

 private:
  void prepare_report() {
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
      for (NodeId child : node.children) {
        report.children.push_back(child);
      }
      m_report.index.emplace(id, m_report.nodes.size());
      m_report.nodes.push_back(std::move(report));
      m_order.push_back(id);
      m_runs[id].status = node.status();
    }
  }

  NodeReport& report_of(NodeId id) { return m_report.nodes[m_report.index.at(id)]; }

  void submit(std::function<void()> job) {
    ++m_in_flight;
    m_pool.submit(std::move(job));
  }

  // --- starting ---

  void start_work() {
    take_due();
    std::vector<NodeId> wave;
    while (m_in_flight < m_options.parallelism) {
      if (!m_todo.empty()) {
        submit(std::move(m_todo.front()));
        m_todo.pop_front();
      } else if (!m_due.empty()) {
        NodeId id = m_due.front();
        m_due.pop_front();
        start_node(id);
      } else if (auto id = m_plan.next()) {
        bool policies = m_plan.mode(*id) == Mode::align && !m_graph[*id].policies.empty();
        begin_node(*id);
        if (policies) {
          wave.push_back(*id);
        } else {
          start_node(*id);
        }
      } else {
        break;
      }
    }
    if (!wave.empty()) {
      start_policies(std::move(wave));
    }
  }

  void begin_node(NodeId id) {
    m_runs[id].settle_until = std::chrono::steady_clock::now() + m_options.settle;
    report_of(id).started_at = m_parts.clock.now();
    m_parts.observer.started(m_graph[id], m_plan.mode(id));
  }

  void start_node(NodeId id) {
    submit([this, id, mode = m_plan.mode(id)] {
      auto begin = std::chrono::steady_clock::now();
      const NodeRun& own = m_runs[id];
      auto progress = [this, id](std::string text) {
        m_events.push(Progressed{id, std::move(text)});
      };
      StepResult result = mode == Mode::remove
                              ? remove_node(m_context, id, own.status, progress)
                              : align_node(m_context, id, own.policies ? &*own.policies : nullptr,
                                           own.status, progress);
      result.report.took = std::chrono::steady_clock::now() - begin;
      m_events.push(std::move(result));
    });
  }

  // All nodes with policies that can start now go through them together.
  void start_policies(std::vector<NodeId> wave) {
    submit([this, wave = std::move(wave)] {
      auto verdicts = run_policies(m_graph, wave, m_parts.policies, m_parts.world, m_context.info,
                                   m_parts.clock.now(), m_stop, {m_options.keep_trace});
      m_events.push(PoliciesRan{wave, std::move(verdicts)});
    });
  }

  void take_due() {
    auto now = std::chrono::steady_clock::now();
    while (!m_parked.empty() && m_parked.begin()->first <= now) {
      m_due.push_back(m_parked.begin()->second);
      m_parked.erase(m_parked.begin());
    }
  }

  // --- waiting ---

  void wait_one() {
    std::optional<Steady> until;
    if (!m_parked.empty() && m_in_flight < m_options.parallelism) {
      until = m_parked.begin()->first;
    }
    // After a stop only what runs is waited for: the token would wake us at once.
    auto event = m_events.pop(until, m_report.stopped ? std::stop_token() : m_stop);
    if (event) {
      std::visit([this](auto& what) { handle(what); }, *event);
    }
  }

  void handle(StepResult& result) {
    --m_in_flight;
    take_status(result);
    NodeId id = result.id;
    NodeReport& report = report_of(id);
    auto now = std::chrono::steady_clock::now();
    merge(report, result.report);
    if (result.again && !m_report.stopped && m_options.settle.count() > 0) {
      auto at = now + *result.report.requeue_after;
      if (at <= *m_runs[id].settle_until) {
        m_parts.observer.progress(m_graph[id], report.message);
        m_parked.emplace(at, id);
        m_waiting_verdict[id] = result.verdict;
        return;
      }
    }
    end_node(id, result.verdict);
  }

  static void merge(NodeReport& report, NodeReport& step) {
    report.outcome = step.outcome;
    report.ready = step.ready;
    report.reason = std::move(step.reason);
    report.message = std::move(step.message);
    report.error = std::move(step.error);
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

  void handle(PoliciesRan& ran) {
    --m_in_flight;
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
      } else {
        m_due.push_back(id);
      }
    }
  }

  void handle(Progressed& progressed) {
    m_parts.observer.progress(m_graph[progressed.id], progressed.message);
  }

  void handle(Recorded& recorded) {
    --m_in_flight;
    take_status(recorded.result);
    if (recorded.result.report.status_written && m_report.find(recorded.result.id)) {
      report_of(recorded.result.id).status_written = true;
    }
  }

  void take_status(StepResult& result) {
    if (result.status) {
      m_runs[result.id].status = std::move(*result.status);
    }
    if (result.status_error) {
      m_report.status_errors.push_back(std::move(*result.status_error));
    }
  }

  // --- ending ---

  void end_node(NodeId id, const Verdict& verdict) {
    m_waiting_verdict.erase(id);
    m_plan.finish(id, verdict);
    NodeReport& report = report_of(id);
    report.state = verdict.state;
    m_parts.observer.finished(m_graph[id], report);
    after_plan_moved();
  }

  void cancel_node(NodeId id) {
    NodeReport& report = report_of(id);
    report.reason = "Cancelled";
    report.message = "stopped before it was started";
    end_node(id, {NodeState::skipped, false, false, "Cancelled"});
  }

  void stop_work() {
    m_report.stopped = true;
    m_todo.clear();  // a status that waits for a worker is not in flight; the next run computes it
    m_plan.stop("Cancelled");
    after_plan_moved();
    // Nodes between two looks keep what they came to; those never looked at are left out.
    std::vector<NodeId> open(m_due.begin(), m_due.end());
    for (const auto& [at, id] : m_parked) {
      open.push_back(id);
    }
    m_due.clear();
    m_parked.clear();
    for (NodeId id : open) {
      if (auto found = m_waiting_verdict.find(id); found != m_waiting_verdict.end()) {
        end_node(id, Verdict(found->second));
      } else {
        cancel_node(id);
      }
    }
  }

  void after_plan_moved() {
    for (NodeId id : m_plan.take_settled()) {
      NodeReport& report = report_of(id);
      report.state = m_plan.state(id);
      report.reason = m_plan.reason(id);
      report.ready = m_plan.ready(id);
      if (m_plan.state(id) != NodeState::skipped) {
        record_settled(id, report);
      }
      m_parts.observer.finished(m_graph[id], report);
    }
    for (NodeId id : m_plan.take_complete_subtrees()) {
      if (!m_report.stopped) {
        record_subtree(id);
      }
    }
  }

  void record_settled(NodeId id, NodeReport& report) {
    StatusInput input = settled_input(m_context, m_plan, id);
    report.message = input.message;
    if (m_plan.state(id) == NodeState::failed) {
      report.error = m_graph[id].problem;
      report.outcome = Outcome::stalled;
    }
    // The loop's own copy moves at once, so that what stands above sees it.
    Json present = m_runs[id].status;
    m_runs[id].status = compute_status(present, input);
    m_todo.push_back([this, id, input = std::move(input), present = std::move(present)] {
      m_events.push(Recorded{record_node(m_context, id, input, present)});
    });
  }

  TreeSummary tree_of(NodeId id) const {
    std::vector<ChildReady> children;
    for (NodeId child : m_graph[id].children) {
      if (m_plan.mode(child) == Mode::remove && m_plan.ready(child)) {
        continue;  // gone
      }
      const Json& status =
          m_runs[child].status.is_null() ? m_graph[child].status() : m_runs[child].status;
      const Key& key = m_graph[child].key;
      children.push_back({key.kind + "/" + key.name, condition_truth(status, "TreeReady")});
    }
    return summarize_tree(Truth::yes, children);
  }

  // Nodes that are not Ready got their TreeReady together with it, and so did leaves.
  void record_subtree(NodeId id) {
    if (m_plan.mode(id) == Mode::remove || m_plan.state(id) != NodeState::done ||
        m_graph[id].children.empty() || !m_plan.ready(id)) {
      return;
    }
    record_tree_ready(id, tree_of(id));
  }

  void record_tree_ready(NodeId id, const TreeSummary& tree) {
    Json present = m_runs[id].status;
    m_runs[id].status = with_tree_ready(present, tree.truth, tree.message, m_graph[id].generation,
                                        m_parts.clock.now());
    if (m_runs[id].status == present) {
      return;
    }
    m_todo.push_back([this, id, tree, present = std::move(present)] {
      m_events.push(Recorded{record_tree(m_context, id, tree, present)});
    });
  }

  // TreeReady of what stands above the selection follows from what happened below.
  void record_above() {
    for (NodeId top : m_report.roots) {
      for (NodeId id = m_graph[top].parent; id != k_no_node; id = m_graph[id].parent) {
        if (m_report.stopped || m_graph.suspended(id) || m_graph.deleting(id) ||
            m_plan.selected(id) || m_graph[id].status_summary.ready.empty()) {
          continue;
        }
        if (m_runs[id].status.is_null()) {
          m_runs[id].status = m_graph[id].status();
        }
        if (condition_truth(m_runs[id].status, "Ready") == Truth::yes) {
          StepResult result = record_tree(m_context, id, tree_of(id), m_runs[id].status);
          m_writes_above += result.report.status_written ? 1 : 0;
          if (result.status_error && result.status_error->kind == util::ErrorKind::forbidden) {
            result.status_error.reset();  // whose rights end at the selection leaves it to others
          }
          take_status(result);
        }
      }
    }
  }

  Report finish() {
    m_report.summary = summarize(m_report.nodes);
    m_report.summary.writes += m_writes_above;
    m_report.took = std::chrono::steady_clock::now() - m_started;
    m_parts.observer.summary(m_report);
    return std::move(m_report);
  }

  const Graph& m_graph;
  RunOptions m_options;
  const RunParts& m_parts;
  std::stop_token m_stop;
  StepContext m_context;
  Plan m_plan;
  std::vector<NodeRun> m_runs;
  std::vector<NodeId> m_order;
  Report m_report;
  Steady m_started;
  std::size_t m_in_flight = 0;
  std::size_t m_writes_above = 0;
  std::deque<std::function<void()>> m_todo;     ///< jobs that wait for a free worker
  std::deque<NodeId> m_due;                     ///< nodes whose executor is to be called now
  std::multimap<Steady, NodeId> m_parked;       ///< nodes to look at again then
  std::map<NodeId, Verdict> m_waiting_verdict;  ///< what parked nodes came to so far
  EventQueue m_events;
  WorkerPool m_pool;  ///< last: its threads end before anything that they use
};

}  // namespace

Report run(const Graph& graph, const std::vector<NodeId>& selected, const RunInfo& info,
           const RunOptions& options, const RunParts& parts, const std::stop_token& stop) {
  return Runner(graph, selected, info, options, parts, stop).run();
}

}  // namespace kubist::engine
