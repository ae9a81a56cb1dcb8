#include <kubist/util/text.hpp>

#include "execution/execution_parts.hpp"

namespace kubist::deployers {
namespace {

using util::cat;
using State = ExecutionOutcome::State;

void add_message(ExecutionOutcome& outcome, State state, const std::string& item,
                 std::string_view text) {
  if (text.empty() && state == State::ready) {
    return;
  }
  if (state > outcome.state) {
    outcome.state = state;
    outcome.reason = state == State::failed ? "RemovalFailed" : "Removing";
    outcome.message.clear();  // what has gone well matters no more
  }
  if (state == outcome.state) {
    outcome.message += cat(outcome.message.empty() ? "" : "; ", "DeployItem ", item, ": ", text);
  }
}

}  // namespace

util::Result<ExecutionOutcome> remove_execution(World& world, const ExecutionInput& input,
                                                const RemoveItemOptions& options) {
  KUBIST_TRY(const auto items, owned_items(world, input.object));
  ExecutionOutcome outcome;
  outcome.reason = "Removed";
  if (world.writer.dry()) {
    KUBIST_CHECK(delete_dry(world, items));
    for (const Json& item : items) {
      outcome.message +=
          cat(outcome.message.empty() ? "" : "; ", removal_text(item, world.settings, options));
    }
    return outcome;
  }
  const std::vector<ItemRun> runs = remove_items(world, items, options);
  outcome.error = common_error(runs);
  for (const ItemRun& run : runs) {
    if (!run.outcome) {
      if (run.outcome.error().kind == util::ErrorKind::cancelled) {
        return util::fail(run.outcome.error());
      }
      add_message(outcome, State::failed, run.deploy_item, run.outcome.error().message);
      continue;
    }
    const State state = run.outcome->state == Progress::State::failed    ? State::failed
                        : run.outcome->state == Progress::State::running ? State::progressing
                                                                         : State::ready;
    add_message(outcome, state, run.deploy_item, run.outcome->message);
    outcome.left_behind.insert(outcome.left_behind.end(), run.outcome->left_behind.begin(),
                               run.outcome->left_behind.end());
  }
  return outcome;  // Secrets go with their owner
}

}  // namespace kubist::deployers
