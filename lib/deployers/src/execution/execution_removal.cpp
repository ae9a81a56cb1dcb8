#include <algorithm>

#include <kubist/resources/object.hpp>
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

util::Result<ItemOutcome> remove_one(World& world, const Json& item,
                                     const RemoveItemOptions& options) {
  const resources::ObjectView view(item);
  const std::string ns(view.ns());
  const std::string name(view.name());
  KUBIST_CHECK(request_item_deletion(world, ns, name, std::string(view.uid())));
  return remove_item(world, ns, name, options);
}

/// Which items go before which: those that depend on one before it. A name stands for all parts of
/// a Templates item, too.
Order removal_order(const std::vector<Json>& items) {
  Order depends(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto names =
        util::split(resources::ObjectView(items[i]).annotation(k_depends_annotation), ',');
    for (std::size_t other = 0; other < items.size(); ++other) {
      const auto own = resources::ObjectView(items[other]).annotation(k_item_annotation);
      const bool named = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return !name.empty() && (own == name || own.starts_with(cat(name, "/")));
      });
      if (named && other != i) {
        depends[i].push_back(other);
      }
    }
  }
  // Annotations can be anything by now: where items wait for each other they go side by side.
  const Order all = closure(depends);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (std::find(all[i].begin(), all[i].end(), i) != all[i].end()) {
      return Order(items.size());
    }
  }
  return reversed(depends);
}

}  // namespace

util::Result<> delete_dry(World& world, const std::vector<Json>& items) {
  for (const Json& item : items) {
    KUBIST_CHECK(world.writer.remove({*world.home}, deploy_items(), ns_of(item), name_of(item),
                                     resources::ObjectView(item).uid()));
  }
  return {};
}

std::vector<ItemRun> remove_items(World& world, const std::vector<Json>& items,
                                  const RemoveItemOptions& options) {
  std::vector<ItemRun> runs(items.size());
  const Order order = removal_order(items);
  const auto threw = [&](std::size_t i, const util::Error& error) {
    runs[i].outcome = util::fail(error);
  };
  const std::string project = items.empty() ? "" : ns_of(items.front());
  run_in_order(order, project, threw, [&](std::size_t i) {
    ItemRun& run = runs[i];
    run.name = resources::ObjectView(items[i]).annotation(k_item_annotation);
    run.deploy_item = name_of(items[i]);
    for (const std::size_t other : order[i]) {
      if (!succeeded(runs[other])) {
        run.outcome = ItemOutcome{};
        run.outcome->state = Progress::State::running;
        run.outcome->message = cat("waits for DeployItem ", runs[other].deploy_item, " to go");
        return;
      }
    }
    run.outcome = remove_one(world, items[i], options);
  });
  return runs;
}

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
