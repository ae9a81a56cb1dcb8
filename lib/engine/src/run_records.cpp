#include <algorithm>

#include <kubist/util/random.hpp>
#include <kubist/util/threads.hpp>

#include "run_loop.hpp"

namespace kubist::engine {

namespace {

StepResult recorded(NodeId id, const std::function<StepResult()>& record) {
  auto result = util::guarded(record);
  if (result) {
    return *std::move(result);
  }
  StepResult broken;
  broken.id = id;
  broken.status_error = result.error();
  return broken;
}

}  // namespace

void Runner::end_node(NodeId id, const Verdict& verdict) {
  m_waiting_verdict.erase(id);
  m_plan.finish(id, verdict);
  NodeReport& report = report_of(id);
  report.state = verdict.state;
  m_parts.observer.finished(m_graph[id], report);
  after_plan_moved();
}

void Runner::cancel_node(NodeId id) {
  NodeReport& report = report_of(id);
  report.reason = "Cancelled";
  report.message = "stopped before it was started";
  end_node(id, {NodeState::skipped, false, false, "Cancelled"});
}

void Runner::stop_work() {
  m_report.stopped = true;
  // Nodes between two looks keep what they came to; those never looked at are left out. A status
  // that waits for a worker is not in flight; the next run computes it. Policies end by themselves.
  std::vector<NodeId> open;
  for (const Lane lane : {Lane::step, Lane::wait, Lane::reach}) {
    for (const Task& task : at(lane).queue.remove_if([](const Task&) { return true; })) {
      if (!task.job) {
        open.push_back(task.id);
      }
    }
  }
  for (const auto& [at, id] : m_parked) {
    open.push_back(id);
  }
  m_parked.clear();
  m_plan.stop("Cancelled");
  after_plan_moved();
  for (NodeId id : open) {
    if (auto found = m_waiting_verdict.find(id); found != m_waiting_verdict.end()) {
      end_node(id, Verdict(found->second));
    } else {
      cancel_node(id);
    }
  }
}

void Runner::after_plan_moved() {
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

void Runner::plan_telling(NodeId id) {
  NodeRun& own = m_runs[id];
  if (!own.telling && !m_context.info.dry && !m_graph[id].foreign_status) {
    own.telling = true;
    m_tellings.emplace(std::chrono::steady_clock::now() + m_options.tell_after, id);
  }
}

void Runner::start_telling(NodeId id) {
  NodeRun& own = m_runs[id];
  own.telling = false;
  if (own.step->over || own.waits_for.empty() || m_report.stopped) {
    return;
  }
  add(Lane::reach, k_again, id, [this, id, text = own.waits_for, step = own.step] {
    static_cast<void>(util::guarded([&] { tell_progress(m_context, id, text, *step); }));
    m_events.push(Told{id});
  });
}

void Runner::record_settled(NodeId id, NodeReport& report) {
  StatusInput input = settled_input(m_context, m_plan, id);
  report.message = input.message;
  if (m_plan.state(id) == NodeState::failed) {
    report.error = m_graph[id].problem;
    report.outcome = alignment_of(*report.error).outcome;
    if (report.outcome == Outcome::failed) {
      report.requeue_after = retry_delay(1, util::random_unit());
    }
  }
  // The loop's own copy moves at once, so that what stands above sees it.
  Json present = m_runs[id].status;
  m_runs[id].status = compute_status(present, input);
  add_record(id, [this, id, input = std::move(input), present = std::move(present)] {
    return record_node(m_context, id, input, present);
  });
}

void Runner::add_record(NodeId id, std::function<StepResult()> record) {
  ++m_runs[id].writing;
  add(Lane::step, k_write, id,
      [this, id, record = std::move(record)] { m_events.push(Recorded{recorded(id, record)}); });
}

// What another run has written since counts, but not over what this one is about to write.
Json Runner::newest_status(NodeId id) const {
  const NodeRun& own = m_runs[id];
  const auto written = own.writing > 0 ? nullptr : m_parts.statuses.written(m_graph[id]);
  return written ? *written : own.status.is_null() ? m_graph[id].status() : own.status;
}

// Asked when it is written: what another run has written until then counts, but not over what this
// one is about to write.
TreeOf Runner::tree_of(NodeId id) const {
  struct Child {
    const Node& node;
    bool unwritten;
    std::string_view condition;
    Truth truth;
  };
  std::vector<Child> children;
  for (NodeId child : m_graph[id].children) {
    if (m_plan.mode(child) == Mode::remove && m_plan.ready(child)) {
      continue;  // gone
    }
    const Node& node = m_graph[child];
    const NodeRun& own = m_runs[child];
    const bool known = !own.status.is_null();
    const std::string_view condition = node.foreign_status && !known ? "Ready" : "TreeReady";
    children.push_back({node, own.writing > 0, condition,
                        condition_truth(known ? own.status : node.status(), condition)});
  }
  return [&statuses = m_parts.statuses, children = std::move(children)] {
    std::vector<ChildReady> ready;
    for (const Child& child : children) {
      const auto written = child.unwritten ? nullptr : statuses.written(child.node);
      ready.push_back({child.node.key.kind + "/" + child.node.key.name,
                       written ? condition_truth(*written, child.condition) : child.truth});
    }
    return summarize_tree(Truth::yes, ready);
  };
}

// Nodes that are not Ready got their TreeReady together with it, and so did leaves.
void Runner::record_subtree(NodeId id) {
  if (m_plan.mode(id) == Mode::remove || m_plan.state(id) != NodeState::done ||
      m_graph[id].children.empty() || !m_plan.ready(id)) {
    return;
  }
  record_tree_ready(id, tree_of(id));
}

void Runner::record_tree_ready(NodeId id, const TreeOf& tree_of) {
  Json present = newest_status(id);
  const TreeSummary tree = tree_of();
  const auto now = m_parts.clock.now();
  const auto& answer = m_runs[id].answer;
  m_runs[id].status = with_answer(
      with_tree_ready(present, tree.truth, tree.message, m_graph[id].generation, now), answer, now);
  m_runs[id].tree_recorded = true;
  m_runs[id].tree_early = has_child_in_writing(id);
  if (m_runs[id].status == present) {
    return;
  }
  add_record(id, [this, id, tree_of, answer, present = std::move(present)] {
    return record_tree(m_context, id, tree_of, answer, present);
  });
}

bool Runner::has_child_in_writing(NodeId id) const {
  const auto& children = m_graph[id].children;
  return std::any_of(children.begin(), children.end(),
                     [this](NodeId child) { return m_runs[child].writing > 0; });
}

// Until all children are written a run beside may have seen them as they were, and have written the
// TreeReady of what is above by that, after this run did: so it is checked once more. It sends
// nothing where it is right.
void Runner::check_tree(NodeId id) {
  if (id == k_no_node || !m_runs[id].tree_early || m_report.stopped || has_child_in_writing(id)) {
    return;
  }
  m_runs[id].tree_early = false;
  const NodeId above = m_graph[id].parent;
  if (above != k_no_node && m_runs[above].tree_recorded) {
    m_runs[above].tree_early = true;
  }
  add_record(id, [this, id, tree = tree_of(id), present = newest_status(id)] {
    return record_tree(m_context, id, tree, {}, present);
  });
}

// TreeReady of what stands above the selection follows from what happened below.
void Runner::record_above() {
  for (NodeId top : m_report.roots) {
    for (NodeId id = m_graph[top].parent; id != k_no_node; id = m_graph[id].parent) {
      if (m_report.stopped || m_graph.suspended(id) || m_graph.deleting(id) ||
          m_plan.selected(id) || m_graph[id].status_summary.ready.empty()) {
        continue;
      }
      m_runs[id].status = newest_status(id);
      if (condition_truth(m_runs[id].status, "Ready") == Truth::yes) {
        StepResult result = recorded(
            id, [&] { return record_tree(m_context, id, tree_of(id), {}, m_runs[id].status); });
        m_writes_above += result.report.status_written ? 1 : 0;
        // Whose rights end at the selection leaves it to others.
        if (!result.status_error || result.status_error->kind != util::ErrorKind::forbidden) {
          take_status(result);
        }
      }
    }
  }
}

Report Runner::finish() {
  m_report.summary = summarize(m_report.nodes);
  m_report.summary.writes += m_writes_above;
  m_report.took = std::chrono::steady_clock::now() - m_started;
  m_parts.observer.summary(m_report);
  return std::move(m_report);
}

}  // namespace kubist::engine
