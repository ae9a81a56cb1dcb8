#include <future>
#include <mutex>
#include <thread>

#include <kubist/data/compare.hpp>
#include <kubist/data/document.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/deployers/runner.hpp>
#include <kubist/resources/execution_items.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/state/contract.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "execution_parts.hpp"
#include "requests.hpp"
#include "session.hpp"

namespace kubist::deployers {
namespace {

using util::cat;
using State = ExecutionOutcome::State;

util::Result<> apply_item(World& world, const ExecutionInput& input, const Json& wanted) {
  KUBIST_TRY(const auto present,
             world.home->find(deploy_items(), ns_of(wanted), name_of(wanted), world.stop));
  if (present) {
    const auto owners = resources::ObjectView(*present).owners();
    const auto uid = data::string_at(input.object, {"metadata", "uid"});
    if (std::none_of(owners.begin(), owners.end(),
                     [&](const auto& owner) { return owner.uid == uid; })) {
      util::Error error = util::make_error(
          util::ErrorKind::conflict,
          cat("DeployItem ", ns_of(wanted), "/", name_of(wanted), " belongs to somebody else"));
      error.reason = "NameTaken";
      return util::fail(std::move(error));
    }
    if (data::contains_all(*present, wanted)) {
      return {};
    }
  }
  if (input.dry_run) {
    if (world.on_write) {
      world.on_write({"apply", item_title(wanted), ""});
    }
    return {};
  }
  if (world.may_write) {
    KUBIST_CHECK(world.may_write());
  }
  kube::ApplyOptions options;
  options.field_manager = world.field_manager;
  KUBIST_CHECK(world.home->run(kube::apply(deploy_items(), wanted, options)));
  if (world.on_write) {
    world.on_write({"apply", item_title(wanted), ""});
  }
  return {};
}

bool succeeded(const ItemRun& run) {
  return run.outcome && run.outcome->state == Progress::State::done;
}

/// Items side by side, each after those that it depends on have succeeded.
std::vector<ItemRun> run_all(World& world, const std::vector<RenderedItem>& items,
                             const ExecutionInput& input) {
  std::vector<ItemRun> runs(items.size());
  std::vector<std::promise<void>> ended(items.size());
  std::vector<std::shared_future<void>> ends;
  for (std::promise<void>& each : ended) {
    ends.push_back(each.get_future().share());
  }
  const auto before = resources::item_dependencies(input.spec);
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < items.size(); ++i) {
    runs[i].name = items[i].name;
    runs[i].deploy_item = name_of(items[i].deploy_item);
    threads.emplace_back([&, i] {
      ItemRun& run = runs[i];
      const ItemRun* missing = nullptr;
      for (const std::size_t other : before[i]) {
        ends[other].wait();
        missing = missing == nullptr && !succeeded(runs[other]) ? &runs[other] : missing;
      }
      if (missing != nullptr) {
        run.outcome = ItemOutcome{};
        run.outcome->state = Progress::State::running;
        run.outcome->message = cat("waits for item ", missing->name);
      } else {
        run.outcome = run_item(world, ns_of(input.object), run.deploy_item,
                               {.force = input.force, .wait = input.wait});
      }
      ended[i].set_value();
    });
  }
  threads.clear();
  return runs;
}

util::Result<Json> exports_by_item(World& world, const std::vector<ItemRun>& runs,
                                   const std::string& ns) {
  Json all = Json::object();
  for (const ItemRun& run : runs) {
    const auto name = data::string_at(run.outcome->item, {"status", "exportRef", "name"});
    if (name.empty()) {
      continue;
    }
    KUBIST_TRY(const auto secret, world.home->find(kube::well_known::secrets(), ns, name));
    if (secret) {
      const auto bytes =
          util::base64_decode(data::string_at(*secret, {"data", state::k_export_key}));
      KUBIST_TRY(all[run.name], data::parse_json(bytes.value_or("{}"), std::string(name)));
    }
  }
  return all;
}

util::Result<> keep_execution_exports(World& world, const ExecutionInput& input,
                                      const CollectedExports& exports, Json& status) {
  const std::string name = cat(name_of(input.object), "-exports");
  Json metadata = input.owner_metadata;
  metadata["name"] = name;
  metadata["namespace"] = ns_of(input.object);
  metadata["labels"][resources::k_managed_by_label] = "kubist";
  metadata["ownerReferences"] = Json::array({execution_owner(input.object)});
  const Json secret{
      {"apiVersion", "v1"},
      {"kind", "Secret"},
      {"type", "Opaque"},
      {"metadata", metadata},
      {"data",
       {{std::string(state::k_export_key), util::base64_encode(data::to_json(exports.values))}}}};
  KUBIST_CHECK(ensure_secret(world, {*world.home, ""}, secret));
  status["exports"] = {{"secretRef", {{"name", name}}}, {"value", exports.public_values}};
  return {};
}

ExecutionOutcome outcome_of(const util::Error& error) {
  ExecutionOutcome outcome;
  outcome.state = error.reason == "ImportNotFound" ? State::failed : State::stalled;
  outcome.reason = error.reason;
  outcome.message = error.to_string();
  return outcome;
}

}  // namespace

util::Result<ExecutionOutcome> run_execution(World& caller, const ExecutionInput& input) {
  World world = serialized(caller);
  const std::string ns = ns_of(input.object);
  auto imports = resolve_imports(world, ns, input.spec);
  if (!imports) {
    return imports.error().reason.empty()
               ? util::Result<ExecutionOutcome>(util::fail(imports.error()))
               : outcome_of(imports.error());
  }
  auto items = render_execution(input, *imports);
  if (!items) {
    return outcome_of(items.error());
  }
  for (const RenderedItem& item : *items) {
    if (!item.import_secret.is_null() && !input.dry_run) {
      KUBIST_CHECK(ensure_secret(world, {*world.home, ""}, item.import_secret));
    }
    KUBIST_CHECK(apply_item(world, input, item.deploy_item));
  }
  if (input.dry_run) {
    ExecutionOutcome planned;
    planned.reason = "DryRun";
    return planned;
  }
  KUBIST_TRY(const auto present, owned_items(world, input.object));
  for (const std::string& name : to_prune(present, *items)) {
    const auto gone = std::find_if(present.begin(), present.end(),
                                   [&](const Json& item) { return name_of(item) == name; });
    KUBIST_TRY(const ItemOutcome pruned, delete_item(world, *gone, {.wait = input.wait}));
    if (pruned.state == Progress::State::failed) {
      return util::fail(util::ErrorKind::unavailable,
                        cat("DeployItem ", name, " is no longer wanted: ", pruned.message));
    }
  }
  const auto runs = run_all(world, *items, input);
  ExecutionOutcome outcome = summarize(runs);
  if (outcome.state == State::ready && data::find_path(input.spec, {"exports"}) != nullptr) {
    KUBIST_TRY(const Json by_item, exports_by_item(world, runs, ns));
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
