#include <algorithm>
#include <limits>
#include <utility>

#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "execution/execution_parts.hpp"
#include "execution/removal_order.hpp"

namespace kubist::deployers {
namespace {

using util::cat;
using State = ExecutionOutcome::State;

constexpr std::size_t k_all_gone = std::numeric_limits<std::size_t>::max();

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

util::Result<ItemOutcome> remove_one(World& world, const Json& item,
                                     const RemoveItemOptions& options) {
  const resources::ObjectView view(item);
  const std::string ns(view.ns());
  const std::string name(view.name());
  KUBIST_CHECK(request_item_deletion(world, ns, name, std::string(view.uid())));
  return remove_item(world, ns, name, options);
}

}  // namespace

util::Result<> delete_dry(World& world, const std::vector<Json>& items) {
  for (const Json& item : items) {
    KUBIST_CHECK(world.writer.remove({*world.home}, deploy_items(), ns_of(item), name_of(item),
                                     resources::ObjectView(item).uid()));
  }
  return {};
}

util::Result<std::vector<ItemRun>> remove_items(World& world, const std::vector<Json>& items,
                                                const RemoveItemOptions& options) {
  KUBIST_TRY(const Order order, removal_order(items, world.stop));
  std::vector<ItemRun> runs(items.size());
  std::vector<std::size_t> left(order.size(), k_all_gone);  // the first of each and those before it
  const auto threw = [&](std::size_t i, const util::Error& error) {
    runs[i].outcome = util::fail(error);
  };
  const std::string project = items.empty() ? "" : ns_of(items.front());
  run_in_order(order, project, threw, [&](std::size_t i) {
    for (const std::size_t before : order[i]) {
      left[i] = std::min(left[i], left[before]);
    }
    if (i >= items.size()) {
      return;
    }
    const std::size_t awaited = std::exchange(left[i], i);
    ItemRun& run = runs[i];
    run.name = resources::ObjectView(items[i]).annotation(k_item_annotation);
    run.deploy_item = name_of(items[i]);
    if (awaited != k_all_gone) {
      run.outcome = ItemOutcome{};
      run.outcome->state = Progress::State::running;
      run.outcome->message = cat("waits for DeployItem ", runs[awaited].deploy_item, " to go");
      return;
    }
    run.outcome = remove_one(world, items[i], options);
    left[i] = succeeded(run) ? k_all_gone : i;
  });
  return runs;
}

util::Result<ExecutionOutcome> remove_execution(World& world, const ExecutionInput& input,
                                                const RemoveItemOptions& options) {
  // A dry run tells what the items have for their removal.
  const Keep keep = world.writer.dry() ? Keep::whole : Keep::for_removal;
  KUBIST_TRY(const auto items, owned_items(world, input.object, keep));
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
  KUBIST_TRY(const std::vector<ItemRun> runs, remove_items(world, items, options));
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
