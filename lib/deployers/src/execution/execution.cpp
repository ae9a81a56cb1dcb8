#include <set>

#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/state/contract.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "execution/execution_run.hpp"
#include "item/requests.hpp"

namespace kubist::deployers {
namespace {

using util::cat;
using State = ExecutionOutcome::State;

/// Items that earlier runs have seen succeed, by their names.
std::set<std::string> known_good(const Json& execution) {
  std::set<std::string> names;
  const Json* items = data::find_path(execution, {"status", "items"});
  for (const Json& item : items == nullptr ? Json::array() : *items) {
    if (data::bool_at(item, {"hasSucceeded"})) {
      names.emplace(data::string_at(item, {"name"}));
    }
  }
  return names;
}

/// Rolls the items back. Those that go are no longer told of as if they were there.
void roll_items_back(World& world, const std::string& project, const ExecutionRun& run,
                     const std::vector<ItemRun>& runs, const std::string& hash,
                     ExecutionOutcome& outcome) {
  std::vector<std::string> done;
  run.for_each_group(runs, [&](const ItemGroup& group, const std::vector<ItemRun>& of_group) {
    for (const RolledBack& item : roll_back(world, project, group, of_group)) {
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

/// With onFailure: RollBack, what comes after the items have run.
util::Result<> settle_rollback(World& world, const ExecutionInput& input, const std::string& hash,
                               ExecutionRun& run, const std::vector<ItemRun>& runs,
                               ExecutionOutcome& outcome) {
  const Json* recorded = data::find_path(input.object, {"status", "rollback", "recorded"});
  outcome.status["rollback"] = recorded == nullptr ? Json() : Json{{"recorded", *recorded}};
  if (outcome.state == State::ready) {
    outcome.status["rollback"] = {{"recorded", true}};
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
  util::Result<> checked;
  std::vector<std::string> unrecorded;
  run.for_each_group(runs, [&](const ItemGroup& group, const std::vector<ItemRun>& of_group) {
    const auto more =
        unrecorded_items(world, group, of_group, recorded == nullptr || *recorded == true);
    if (!more) {
      checked = util::fail(more.error());
      return;
    }
    unrecorded.insert(unrecorded.end(), more->begin(), more->end());
  });
  KUBIST_CHECK(checked);
  if (unrecorded.empty()) {
    roll_items_back(world, ns_of(input.object), run, runs, hash, outcome);
    return {};
  }
  outcome.message += cat("; nothing was rolled back or removed: no earlier success of ",
                         util::join(unrecorded, ", "),
                         " is recorded to return to. Repair what failed and reconcile again: a "
                         "success under onFailure: RollBack is recorded");
  outcome.status["rollback"] = {{"recorded", false}, {"message", outcome.message}};
  return {};
}

util::Result<> keep_execution_exports(World& world, const ExecutionInput& input,
                                      const CollectedExports& exports, Json& status) {
  const std::string name = execution_exports_name(name_of(input.object));
  Json metadata = owned_metadata(input, name);
  metadata["labels"].erase(std::string(k_execution_label));
  const std::string text = data::to_json(exports.values);
  KUBIST_CHECK(ensure_secret(world, {*world.home},
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

/// Of a dry run that found nothing wrong.
ExecutionOutcome planned(std::string message) {
  ExecutionOutcome outcome;
  outcome.reason = "DryRun";
  outcome.message = std::move(message);
  return outcome;
}

/// Nobody knows what a pod would do, whatever it gets.
bool runs_pod(const World& world, const Json& deploy_item) {
  const Deployer* deployer =
      find_deployer(data::string_at(deploy_item, {"spec", "type"}), world.settings);
  return deployer != nullptr && deployer->runs_pods();
}

/// The DeployItem of a part as it would be then, and what it would do; `message` names it.
util::Result<ItemOutcome> preview_part(World& world, const ExecutionInput& input,
                                       const std::vector<Json>& present, RenderedItem part) {
  KUBIST_CHECK(apply_item(world, input, present, part));
  ItemOutcome outcome;
  if (!part.held.empty()) {
    outcome.message = cat("item ", part.name, ": ", part.held);
  } else if (part.imports) {
    outcome.message =
        runs_pod(world, part.deploy_item)
            ? ""
            : cat("what item ", part.name, " would do is known when it gets its imports");
  } else {
    Json item = part.deploy_item;
    KUBIST_TRY(const auto live,
               world.home->find(deploy_items(), ns_of(item), name_of(item), world.stop));
    if (live) {
      item = *live;
      item["spec"] = part.deploy_item["spec"];
    }
    KUBIST_TRY(outcome, preview_item(world, item, input.force));
    if (!outcome.message.empty()) {
      outcome.message = cat("item ", part.name, ": ", outcome.message);
    }
  }
  return outcome;
}

/// Of a dry run: nothing is wrong, but what is not there yet cannot be used.
bool is_later(const util::Result<Json>& imports) {
  return !imports && imports.error().reason == k_import_later;
}

/// What a dry run can tell of Templates items: those that wait for no other item are rendered.
util::Result<ExecutionOutcome> preview_templates(World& world, const ExecutionInput& input,
                                                 const std::vector<Json>& present,
                                                 const Json& imports, const ItemGroup& group) {
  std::vector<std::string> lines;
  std::optional<std::string> failure;  ///< its reason
  for (std::size_t i = 0; i < group.items.size(); ++i) {
    const RenderedItem& item = group.items[i];
    if (!item.deploy_item.is_null()) {
      lines.push_back(item.held.empty() ? "" : cat("item ", item.name, ": ", item.held));
      continue;
    }
    if (!group.order[i].empty()) {
      lines.push_back(cat("what the template of item ", item.name,
                          " makes is known when the items before it have run"));
      continue;
    }
    const auto values = item_imports(world, input, item, imports, Json::object());
    if (is_later(values)) {
      lines.push_back(cat("item ", item.name, ": ", values.error().message));
      continue;
    }
    auto rendering = values ? render_template(world, input, {item, *values, Json::object()})
                            : util::Result<Rendering>(util::fail(values.error()));
    if (!rendering) {
      return outcome_of(rendering.error());
    }
    review_items(world, rendering->parts.items);
    if (const auto refusal = refusal_of(rendering->parts.items)) {
      return outcome_of(*refusal);
    }
    const ItemGroup& parts = rendering->parts;
    for (std::size_t part = 0; part < parts.items.size(); ++part) {
      const auto known = preview_part(world, input, present, parts.items[part]);
      if (!known) {
        return outcome_of(known.error());
      }
      lines.push_back(known->message);
      // What others make first may be all that it lacks.
      if (known->state == Progress::State::failed && parts.order[part].empty() && !failure) {
        failure = known->reason;
      }
    }
    KUBIST_CHECK(prune(world, input, present, parts.items, item.name));
  }
  std::erase(lines, "");
  ExecutionOutcome outcome = planned(util::join(lines, "; "));
  if (failure) {
    outcome.state = State::failed;
    outcome.reason = *failure;
  }
  return outcome;
}

}  // namespace

util::Result<ExecutionOutcome> run_execution(World& world, const ExecutionInput& input) {
  auto imports = resolve_imports(world, ns_of(input.object),
                                 data::find_path(input.spec, {"imports"}), Json::object());
  if (!imports && !is_later(imports)) {
    return imports.error().reason.empty()
               ? util::Result<ExecutionOutcome>(util::fail(imports.error()))
               : outcome_of(imports.error());
  }
  auto group = render_execution(input);
  if (!group) {
    return outcome_of(group.error());
  }
  const bool rolls_back = on_failure(input.spec) == OnFailure::roll_back;
  const std::string hash = rolls_back && imports ? rollback_hash(input, *imports) : std::string();
  if (!hash.empty() && !input.force &&
      data::string_at(input.object, {"status", "rollback", "hash"}) == hash) {
    ExecutionOutcome as_before;
    as_before.state = State::stalled;
    as_before.reason = "RolledBack";
    as_before.rolled_back = true;
    as_before.message = data::string_at(input.object, {"status", "rollback", "message"});
    return as_before;
  }
  review_items(world, group->items);
  const auto refusal = refusal_of(group->items);
  if (refusal && rolls_back) {  // nothing is begun that would have to be undone
    return outcome_of(*refusal);
  }
  std::set<std::string> good = known_good(input.object);
  KUBIST_TRY(const auto present, owned_items(world, input.object));
  for (RenderedItem& item : group->items) {
    if (!item.deploy_item.is_null()) {
      KUBIST_TRY(const bool has_succeeded, apply_item(world, input, present, item));
      if (has_succeeded) {
        good.insert(item.name);
      }
    }
  }
  KUBIST_CHECK(prune(world, input, present, group->items, ""));
  if (world.writer.dry()) {
    if (refusal) {
      return outcome_of(*refusal);
    }
    return imports ? preview_templates(world, input, present, *imports, *group)
                   : planned(imports.error().message);
  }
  ExecutionRun work(world, input, *std::move(imports), *std::move(group), std::move(good));
  const auto runs = work.run();
  ExecutionOutcome outcome = summarize(runs);
  if (rolls_back) {
    KUBIST_CHECK(settle_rollback(world, input, hash, work, runs, outcome));
  } else if (outcome.state == State::ready &&
             data::find_path(input.object, {"status", "rollback"}) != nullptr) {
    outcome.status["rollback"] = {{"recorded", false}};  // what is kept is of an older success
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
