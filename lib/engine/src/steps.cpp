#include "steps.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/engine/triggers.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>

#include "executor_call.hpp"

namespace kubist::engine {

using util::cat;
using util::ErrorKind;
using Phase = StatusInput::Phase;

namespace {

const std::string& cause_of(const StepContext& context, NodeId id) {
  for (NodeId up = id; up != k_no_node; up = context.graph[up].parent) {
    if (const auto found = context.info.causes.find(context.graph[up].key);
        found != context.info.causes.end()) {
      return found->second;
    }
  }
  return context.info.cause;
}

StatusInput common_input(const StepContext& context, NodeId id) {
  StatusInput input;
  input.cause = cause_of(context, id);
  input.generation = context.graph[id].generation;
  input.run_id = context.info.id;
  input.started_at = context.info.started_at;
  input.now = context.parts.clock.now();
  input.random_unit = util::random_unit();
  return input;
}

/// Returns the status as it is now, or where it could not be written, as it should be.
Json change_status(const StepContext& context, StepResult& result, const Json& present,
                   const StatusStore::Change& change) {
  const Node& node = context.graph[result.id];
  if (context.info.dry || node.foreign_status || node.unreadable) {
    return *(result.status = change(present));
  }
  auto written = context.parts.statuses.change(node, change);
  if (written) {
    result.report.status_written = written->sent;
    return *(result.status = std::move(written->status));
  }
  const bool stopped =
      context.stop.stop_requested() && written.error().kind == ErrorKind::cancelled;
  if (!stopped) {  // else it stays as it was
    result.status_error = util::with_context(written.error(), cat("status of ", to_string(node)));
  }
  return change(present);
}

/// How long until a failed node is tried again, by how often it has failed.
std::chrono::milliseconds retry_after(const Json& status, const StatusInput& input) {
  return retry_delay(data::count_at(status, {"failures"}, 1), input.random_unit);
}

/// The report has the texts as they were.
void show_texts(const StatusStore& statuses, StatusInput& input) {
  const auto shown = [&](const std::string& text) { return statuses.shown(text); };
  input.message = shown(input.message);
  for (resources::Condition& condition : input.conditions) {
    condition.message = shown(condition.message);
  }
  data::change_strings(input.fields, shown);
  if (input.policies) {
    data::change_strings(*input.policies, shown);
  }
}

Phase phase_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::ready:
      return Phase::ready;
    case Outcome::progressing:
      return Phase::progressing;
    case Outcome::failed:
      return Phase::retrying;
    case Outcome::stalled:
      return Phase::stalled;
  }
  return Phase::retrying;
}

void nearest(std::optional<std::chrono::milliseconds>& at,
             const std::optional<std::chrono::milliseconds>& other) {
  if (other && (!at || *other < *at)) {
    at = other;
  }
}

/// What fails after a stop was requested may have failed by the stop, in whatever words: nothing
/// was learned, and no status says it. The one place that decides so for all kinds.
bool cut_short(const StepContext& context, bool failed) {
  return failed && context.stop.stop_requested();
}

void mark_cancelled(StepResult& result, std::vector<Write> writes) {
  result.verdict = {NodeState::skipped, false, false, "Cancelled"};
  result.report.reason = "Cancelled";
  result.report.message = "interrupted before it was done";
  result.report.writes = std::move(writes);
}

/// A step that was cut short waits for nothing any more: its status says again what it said.
void take_back(const StepContext& context, StepResult& result, const Json& present,
               const Telling& telling) {
  if (telling.told) {
    change_status(context, result, present,
                  [&](const Json& before) { return without_progress(before, present); });
  }
}

bool is_bad(Outcome outcome) { return outcome == Outcome::failed || outcome == Outcome::stalled; }

void describe(StepResult& result, const Alignment& alignment) {
  NodeReport& report = result.report;
  report.outcome = alignment.outcome;
  report.ready = alignment.outcome == Outcome::ready;
  report.reason = alignment.reason;
  report.message = alignment.message;
  report.writes = alignment.writes;
  report.requeue_after = alignment.requeue_after;
  report.rolled_back = alignment.rolled_back;
  const bool bad = is_bad(alignment.outcome);
  report.error = bad ? alignment.error : std::nullopt;
  result.verdict = {bad ? NodeState::failed : NodeState::done, report.ready,
                    alignment.children.value_or(report.ready), alignment.reason};
  result.again = alignment.outcome == Outcome::progressing && alignment.requeue_after.has_value() &&
                 !alignment.needs_new_run;
}

/// What is below runs now, and record_tree() writes the answer once that has ended.
bool is_answered_later(const Node& node, const Alignment& alignment) {
  return alignment.handled_request && alignment.handled_request->of_tree &&
         alignment.outcome == Outcome::ready && !node.children.empty();
}

StatusInput input_of(const StepContext& context, NodeId id, const Alignment& alignment,
                     const PolicyVerdict* policies) {
  const Node& node = context.graph[id];
  StatusInput input = common_input(context, id);
  input.phase = phase_of(alignment.outcome);
  input.reason = alignment.reason;
  input.message = alignment.message;
  input.conditions = alignment.conditions;
  input.gone_conditions = alignment.gone_conditions;
  input.fields = alignment.status;
  if (!is_answered_later(node, alignment)) {
    input.handled_request = alignment.handled_request;
  }
  // A run that began for something else answers what was asked for meanwhile.
  if (alignment.handled_request && !context.info.causes.empty()) {
    input.cause = to_string(Trigger(Cause::requested, alignment.handled_request->request));
  }
  input.writes = alignment.writes;
  if (alignment.error) {
    input.error = util::to_string(alignment.error->kind);
  }
  if (policies) {
    input.policies = policies->status_policies;
    if (!policies->error) {
      input.effective =
          policies->changed ? effective_difference(node.spec(), *policies->spec) : Json::object();
    }
  }
  if (node.children.empty() && alignment.outcome == Outcome::ready) {
    input.tree_ready = Truth::yes;
  }
  show_texts(context.parts.statuses, input);
  return input;
}

/// Without policies, what a status says of them goes.
void forget_policies(const Json& present, StatusInput& input) {
  if (present.contains("policies")) {
    input.policies = Json::array();
  }
  if (present.contains("effective")) {
    input.effective = Json::object();
  }
}

}  // namespace

StepResult broken_step(NodeId id, const util::Error& error) {
  StepResult result;
  result.id = id;
  describe(result, alignment_of(error));
  result.report.error = error;
  return result;
}

StepResult align_node(const StepContext& context, NodeId id, const PolicyVerdict* policies,
                      const Json& present, const Progress& progress) {
  StepResult result;
  result.id = id;
  auto called = call_executor(context, context.graph[id], policies, progress.tell);
  progress.telling.over = true;
  Alignment alignment = called ? std::move(*called) : alignment_of(called.error());
  if (cut_short(context, is_bad(alignment.outcome))) {
    mark_cancelled(result, std::move(alignment.writes));
    take_back(context, result, present, progress.telling);
    return result;
  }
  describe(result, alignment);
  StatusInput input = input_of(context, id, alignment, policies);
  if (is_answered_later(context.graph[id], alignment)) {
    result.answer = std::move(alignment.handled_request);
  }
  if (policies) {
    nearest(result.report.requeue_after, policies->requeue_after);
  }
  const Json status = change_status(context, result, present, [&](const Json& before) {
    if (!policies) {
      forget_policies(before, input);
    }
    return compute_status(before, input);
  });
  result.report.status_written = result.report.status_written || alignment.status_written;
  if (input.phase == Phase::retrying) {
    nearest(result.report.requeue_after, retry_after(status, input));
  }
  return result;
}

StepResult remove_node(const StepContext& context, NodeId id, const Json& present,
                       const Progress& progress) {
  StepResult result;
  result.id = id;
  auto removed = call_remover(context, context.graph[id], progress.tell);
  progress.telling.over = true;
  if (cut_short(context, !removed || removed->state == RemovalState::failed)) {
    mark_cancelled(result, removed ? std::move(removed->writes) : std::vector<Write>{});
    take_back(context, result, present, progress.telling);
    return result;
  }
  StatusInput input = common_input(context, id);
  Removal removal;
  if (removed) {
    removal = std::move(*removed);
    input.phase = removal.state == RemovalState::failed ? Phase::retrying : Phase::removing;
  } else {
    Alignment meaning = alignment_of(removed.error());
    removal.state = RemovalState::failed;
    removal.reason = meaning.reason;
    removal.message = meaning.message;
    removal.error = meaning.error;
    input.phase = phase_of(meaning.outcome);
  }
  NodeReport& report = result.report;
  report.ready = removal.state == RemovalState::done;
  bool running = removal.state == RemovalState::running;
  report.reason = !removal.reason.empty() ? removal.reason
                  : report.ready          ? "Removed"
                  : running               ? "Removing"
                                          : "RemovalFailed";
  report.message = removal.message;
  report.error = removal.error;
  report.writes = std::move(removal.writes);
  report.left_behind = std::move(removal.left_behind);
  report.requeue_after = removal.requeue_after;
  bool failed = removal.state == RemovalState::failed;
  result.verdict = {failed ? NodeState::failed : NodeState::done, report.ready, false,
                    report.reason};
  result.again = running && removal.requeue_after.has_value();
  if (report.ready) {
    return result;  // the object is gone, and its status with it
  }
  input.reason = report.reason;
  input.message = report.message;
  input.writes = report.writes;
  show_texts(context.parts.statuses, input);
  const Json status = change_status(
      context, result, present, [&](const Json& before) { return compute_status(before, input); });
  if (input.phase == Phase::retrying) {
    nearest(report.requeue_after, retry_after(status, input));
  }
  return result;
}

void tell_progress(const StepContext& context, NodeId id, const std::string& text,
                   Telling& telling) {
  const Node& node = context.graph[id];
  const std::string shown = context.parts.statuses.shown(text);
  // Where it cannot be written, the status at the end says why.
  static_cast<void>(context.parts.statuses.change(node, [&](const Json& before) {
    if (telling.over) {
      return before;
    }
    telling.told = true;
    return with_progress(before, shown, node.generation, context.parts.clock.now());
  }));
}

StepResult record_node(const StepContext& context, NodeId id, const StatusInput& input,
                       const Json& present) {
  StepResult result;
  result.id = id;
  change_status(context, result, present,
                [&](const Json& before) { return compute_status(before, input); });
  return result;
}

StepResult record_tree(const StepContext& context, NodeId id, const TreeOf& tree_of,
                       const std::optional<HandledRequest>& answer, const Json& present) {
  StepResult result;
  result.id = id;
  result.of_tree = true;
  change_status(context, result, present, [&](const Json& before) {
    const TreeSummary tree = tree_of();
    const auto now = context.parts.clock.now();
    return with_answer(
        with_tree_ready(before, tree.truth, tree.message, context.graph[id].generation, now),
        answer, now);
  });
  return result;
}

StatusInput settled_input(const StepContext& context, const Plan& plan, NodeId id) {
  const Node& node = context.graph[id];
  StatusInput input = common_input(context, id);
  input.reason = plan.reason(id);
  if (plan.state(id) == NodeState::failed && node.problem) {
    input.phase = Phase::stalled;
    input.message = node.problem->message;
    return input;
  }
  input.phase = plan.mode(id) == Mode::remove ? Phase::removing : Phase::waiting;
  if (plan.cause(id) != k_no_node) {
    input.message = cat("waits for ", to_string(context.graph[plan.cause(id)]));
  }
  return input;
}

}  // namespace kubist::engine
