#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/state/contract.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "execution_run.hpp"
#include "requests.hpp"

namespace kubist::deployers {
namespace {

using util::cat;
using State = ExecutionOutcome::State;

/// With onFailure: RollBack, what comes after the items have run.
util::Result<> settle_rollback(World& world, const ExecutionInput& input, const std::string& hash,
                               ExecutionRun& run, const std::vector<ItemRun>& runs,
                               ExecutionOutcome& outcome) {
  outcome.status["rollback"] = Json();
  if (outcome.state == State::ready) {
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
  if (!run.has_failed() || world.stop.stop_requested()) {
    return {};
  }
  std::vector<std::string> done;
  run.for_each_group(runs, [&](const ItemGroup& group, const std::vector<ItemRun>& of_group) {
    const auto more = roll_back(world, group, of_group);
    done.insert(done.end(), more.begin(), more.end());
  });
  outcome.state = State::stalled;
  outcome.reason = "RolledBack";
  outcome.rolled_back = true;
  outcome.message += cat("; rolled back: ", done.empty() ? "nothing" : util::join(done, ", "));
  outcome.status["rollback"] = {{"hash", hash}, {"message", outcome.message}};
  return {};
}

util::Result<> keep_execution_exports(World& world, const ExecutionInput& input,
                                      const CollectedExports& exports, Json& status) {
  const std::string name = execution_exports_name(name_of(input.object));
  Json metadata = owned_metadata(input, name);
  metadata["labels"].erase(std::string(k_execution_label));
  const std::string text = data::to_json(exports.values);
  KUBIST_CHECK(ensure_secret(world, {*world.home, ""},
                             opaque_secret(std::move(metadata), {{std::string(state::k_export_key),
                                                                  util::base64_encode(text)}})));
  status["exports"] = {{"secretRef", {{"name", name}}}, {"value", exports.public_values}};
  return {};
}

ExecutionOutcome outcome_of(const util::Error& error) {
  ExecutionOutcome outcome;
  outcome.state = error.reason == "ImportNotFound" ? State::failed : State::stalled;
  outcome.reason = error.reason;
  outcome.message = error.to_string();
  outcome.error = error;
  return outcome;
}

}  // namespace

util::Result<ExecutionOutcome> run_execution(World& caller, const ExecutionInput& input) {
  World world = serialized(caller);
  auto imports = resolve_imports(world, ns_of(input.object),
                                 data::find_path(input.spec, {"imports"}), Json::object());
  if (!imports) {
    return imports.error().reason.empty()
               ? util::Result<ExecutionOutcome>(util::fail(imports.error()))
               : outcome_of(imports.error());
  }
  auto group = render_execution(input);
  if (!group) {
    return outcome_of(group.error());
  }
  const bool rolls_back = on_failure(input.spec) == OnFailure::roll_back;
  const std::string hash = rolls_back ? rollback_hash(input, *imports) : std::string();
  if (rolls_back && !input.force &&
      data::string_at(input.object, {"status", "rollback", "hash"}) == hash) {
    ExecutionOutcome as_before;
    as_before.state = State::stalled;
    as_before.reason = "RolledBack";
    as_before.rolled_back = true;
    as_before.message = data::string_at(input.object, {"status", "rollback", "message"});
    return as_before;
  }
  for (const RenderedItem& item : group->items) {
    if (!item.deploy_item.is_null()) {
      KUBIST_CHECK(apply_item(world, input, item));
    }
  }
  KUBIST_CHECK(prune(world, input, group->items, ""));
  if (input.dry_run) {
    ExecutionOutcome planned;
    planned.reason = "DryRun";
    return planned;
  }
  ExecutionRun work(world, input, *std::move(imports), *std::move(group));
  const auto runs = work.run();
  ExecutionOutcome outcome = summarize(runs);
  if (rolls_back) {
    KUBIST_CHECK(settle_rollback(world, input, hash, work, runs, outcome));
  }
  if (outcome.state == State::ready && data::find_path(input.spec, {"exports"}) != nullptr) {
    Json by_item = Json::object();
    for (const ItemRun& run : runs) {
      if (!run.exports.is_null()) {
        by_item[run.name] = run.exports;
      }
    }
    const auto exports = map_exports(input.spec, by_item);
    if (!exports) {
      ExecutionOutcome stalled = outcome_of(exports.error());
      stalled.status = std::move(outcome.status);
      return stalled;
    }
    KUBIST_CHECK(keep_execution_exports(world, input, *exports, outcome.status));
  }
  return outcome;
}

}  // namespace kubist::deployers
