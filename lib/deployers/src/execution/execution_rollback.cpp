#include <mutex>

#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "execution/execution_run.hpp"
#include "item/requests.hpp"

// onFailure: RollBack.
namespace kubist::deployers {
namespace {

using util::cat;
using State = ExecutionOutcome::State;

/// Is there nothing to roll back of it?
bool is_untouched(const RenderedItem& item, const ItemRun& run) {
  return item.deploy_item.is_null() ||
         (run.outcome && !run.outcome->ran && run.outcome->state == Progress::State::done);
}

/// Removes an item that this run made; false: it was never there.
util::Result<bool> remove_new(World& world, const std::string& ns, const std::string& name) {
  KUBIST_TRY(const auto live, world.home->find(deploy_items(), ns, name, world.stop));
  if (!live) {
    return false;
  }
  KUBIST_TRY(const auto runs, remove_items(world, {*live}, {}));
  for (const ItemRun& gone : runs) {
    KUBIST_CHECK(gone.outcome);
    if (!succeeded(gone)) {
      return util::fail(util::ErrorKind::unavailable, gone.outcome->message);
    }
  }
  return true;
}

struct RolledBack {
  std::string item;
  std::string what;      ///< a line about what was done; empty: nothing
  bool removed = false;  ///< it was new in this run
};

util::Result<RolledBack> roll_back_one(World& world, const ExecutionInput& input,
                                       const RenderedItem& item, const ItemRun& run) {
  const std::string ns = ns_of(item.deploy_item);
  KUBIST_TRY(auto kept, find_last(world, item.deploy_item));
  if (!kept && run.had_succeeded) {
    return RolledBack{item.name, cat(item.name, " stays as it is"), false};
  }
  if (!kept) {
    KUBIST_TRY(const bool removed, remove_new(world, ns, run.deploy_item));
    return RolledBack{item.name, removed ? cat(item.name, " was removed") : "", removed};
  }
  Json& before = kept->deploy_item;
  const bool ran = run.outcome && run.outcome->ran;
  if (!before.is_object() || (!ran && before == item.deploy_item)) {
    return RolledBack{item.name, "", false};
  }
  // Others may write Secrets of the namespace, and it may be so no more.
  if (name_of(before) != run.deploy_item || ns_of(before) != ns) {
    return util::fail(util::ErrorKind::invalid,
                      cat("Secret ", home_last_name(run.deploy_item), " is of another DeployItem"));
  }
  KUBIST_TRY(before, reviewed(world, std::move(before)));
  if (kept->imports) {
    const std::string& name = run.deploy_item;
    KUBIST_CHECK(ensure_secret(world, {*world.home},
                               import_secret(owned_metadata(input, name), name, *kept->imports)));
  }
  KUBIST_TRY(const auto live, world.home->find(deploy_items(), ns, run.deploy_item, world.stop));
  KUBIST_TRY(const Json applied, apply_exactly(world, before, live ? &*live : nullptr));
  KUBIST_TRY(const ItemOutcome outcome,
             run_item(world, ns, run.deploy_item, {.generation = generation_of(world, applied)}));
  if (outcome.state != Progress::State::done) {
    return util::fail(util::ErrorKind::unavailable, outcome.message);
  }
  return RolledBack{item.name, cat(item.name, outcome.ran ? " was rolled back" : " is as it was"),
                    false};
}

/// Takes items that ran or failed back to what was kept, those that depend on others first. Of
/// items of which nothing is kept, those are removed that had not succeeded before this run.
std::vector<RolledBack> roll_back(World& world, const ExecutionInput& input, const ItemGroup& group,
                                  const std::vector<ItemRun>& runs) {
  std::mutex mutex;
  std::vector<RolledBack> done;
  const auto threw = [&](std::size_t i, const util::Error& error) {
    const std::scoped_lock lock(mutex);
    const std::string& name = group.items[i].name;
    done.push_back({name, cat(name, " could not be rolled back: ", error.message), false});
  };
  run_in_order(reversed(group.order), ns_of(input.object), threw, [&](std::size_t i) {
    const RenderedItem& item = group.items[i];
    if (is_untouched(item, runs[i])) {
      return;
    }
    auto what = roll_back_one(world, input, item, runs[i]);
    const std::scoped_lock lock(mutex);
    done.push_back(
        what ? *std::move(what)
             : RolledBack{item.name,
                          cat(item.name, " could not be rolled back: ", what.error().message),
                          false});
  });
  return done;
}

/// Rolls the items back. Those that go are no longer told of as if they were there.
void roll_items_back(World& world, const ExecutionInput& input, const ExecutionRun& run,
                     const std::vector<ItemRun>& runs, const std::string& hash,
                     ExecutionOutcome& outcome) {
  std::vector<std::string> done;
  run.for_each_group(runs, [&](const ItemGroup& group, const std::vector<ItemRun>& of_group) {
    for (const RolledBack& item : roll_back(world, input, group, of_group)) {
      if (!item.what.empty()) {
        done.push_back(item.what);
      }
      for (Json& entry : outcome.status["items"]) {
        if (item.removed && data::string_at(entry, {"name"}) == item.item) {
          entry = {{"name", item.item}, {"message", "removed by the rollback"}};
        }
      }
    }
  });
  outcome.state = State::stalled;
  outcome.reason = "RolledBack";
  outcome.rolled_back = true;
  outcome.message += cat("; rolled back: ", done.empty() ? "nothing" : util::join(done, ", "));
  outcome.status["rollback"].update({{"hash", hash}, {"message", outcome.message}});
}

/// Keeps what all of them are.
util::Result<> keep_all(World& world, const ExecutionInput& input, const ExecutionRun& run,
                        const std::vector<ItemRun>& runs) {
  util::Result<> kept;
  run.for_each_group(runs, [&](const ItemGroup& group, const auto&) {
    for (const RenderedItem& item : group.items) {
      if (kept && !item.deploy_item.is_null()) {
        kept = keep_last(world, input, item);
      }
    }
  });
  return kept;
}

/// Items that a rollback would have to change, but cannot: they had succeeded before this run, and
/// nothing is kept of them. `kept`: what is kept is of the Execution's last success.
util::Result<std::vector<std::string>> unrecorded_items(World& world, const ItemGroup& group,
                                                        const std::vector<ItemRun>& runs,
                                                        bool kept) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RenderedItem& item = group.items[i];
    if (is_untouched(item, runs[i]) || !runs[i].had_succeeded) {
      continue;
    }
    KUBIST_TRY(const auto last, find_last(world, item.deploy_item));
    if (!last || !kept) {
      names.push_back(item.name);
    }
  }
  return names;
}

/// The same of all.
util::Result<std::vector<std::string>> unrecorded_items(World& world, const ExecutionRun& run,
                                                        const std::vector<ItemRun>& runs,
                                                        bool kept) {
  util::Result<std::vector<std::string>> all;
  run.for_each_group(runs, [&](const ItemGroup& group, const std::vector<ItemRun>& of_group) {
    auto more = all ? unrecorded_items(world, group, of_group, kept) : all;
    if (!more) {
      all = std::move(more);
    } else {
      all->insert(all->end(), more->begin(), more->end());
    }
  });
  return all;
}

}  // namespace

std::string rollback_hash(const ExecutionInput& input, const Json& imports) {
  return on_failure(input.spec) != OnFailure::roll_back
             ? std::string()
             : util::sha256_hex(data::to_json(
                   {{"items", input.spec.value("items", Json())}, {"imports", imports}}));
}

std::optional<ExecutionOutcome> rolled_back_before(const ExecutionInput& input,
                                                   const std::string& hash) {
  if (hash.empty() || input.force ||
      data::string_at(input.object, {"status", "rollback", "hash"}) != hash) {
    return std::nullopt;
  }
  ExecutionOutcome outcome;
  outcome.state = State::stalled;
  outcome.reason = "RolledBack";
  outcome.rolled_back = true;
  outcome.message = data::string_at(input.object, {"status", "rollback", "message"});
  return outcome;
}

util::Result<> settle_rollback(World& world, const ExecutionInput& input, const std::string& hash,
                               const ExecutionRun& run, const std::vector<ItemRun>& runs,
                               ExecutionOutcome& outcome) {
  const Json* status = data::find_path(input.object, {"status", "rollback"});
  if (on_failure(input.spec) != OnFailure::roll_back) {
    if (status != nullptr && outcome.state == State::ready) {
      outcome.status["rollback"] = {{"recorded", false}};  // what is kept is of an older success
    }
    return {};
  }
  if (outcome.state == State::ready) {
    outcome.status["rollback"] = {{"recorded", true}};
    return keep_all(world, input, run, runs);
  }
  const Json* recorded = status == nullptr ? nullptr : data::find_path(*status, {"recorded"});
  outcome.status["rollback"] = recorded == nullptr ? Json() : Json{{"recorded", *recorded}};
  if (!run.has_failed() || world.stop.stop_requested()) {
    return {};
  }
  KUBIST_TRY(const auto unrecorded,
             unrecorded_items(world, run, runs, recorded == nullptr || *recorded == true));
  if (unrecorded.empty()) {
    roll_items_back(world, input, run, runs, hash, outcome);
    return {};
  }
  outcome.message += cat("; nothing was rolled back or removed: no earlier success of ",
                         util::join(unrecorded, ", "),
                         " is recorded to return to. Repair what failed and reconcile again: a "
                         "success under onFailure: RollBack is recorded");
  outcome.status["rollback"] = {{"recorded", false}, {"message", outcome.message}};
  return {};
}

}  // namespace kubist::deployers
