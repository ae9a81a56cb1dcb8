#include <mutex>
#include <thread>

#include <kubist/data/compare.hpp>
#include <kubist/data/document.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/deployers/runner.hpp>
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

struct ItemRun {
  std::string name;  ///< of the item in the Execution
  std::string deploy_item;
  util::Result<ItemOutcome> outcome = ItemOutcome{};
};

std::string name_of(const Json& object) {
  return std::string(data::string_at(object, {"metadata", "name"}));
}
std::string ns_of(const Json& object) {
  return std::string(data::string_at(object, {"metadata", "namespace"}));
}

util::Result<std::vector<Json>> owned_items(World& world, const Json& execution) {
  kube::ListOptions options;
  options.label_selector = cat(k_execution_label, "=", execution_label(name_of(execution)));
  KUBIST_TRY(auto list, world.home->list(deploy_items(), ns_of(execution), options, world.stop));
  const auto uid = data::string_at(execution, {"metadata", "uid"});
  std::erase_if(list.items, [&](const Json& item) {
    const auto owners = resources::ObjectView(item).owners();
    return std::none_of(owners.begin(), owners.end(),
                        [&](const auto& owner) { return owner.uid == uid; });
  });
  return std::move(list.items);
}

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
      world.on_write({"apply",
                      cat("landscaper.gardener.cloud/v1alpha1 DeployItem/", ns_of(wanted), "/",
                          name_of(wanted)),
                      ""});
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
    world.on_write(
        {"apply",
         cat("landscaper.gardener.cloud/v1alpha1 DeployItem/", ns_of(wanted), "/", name_of(wanted)),
         ""});
  }
  return {};
}

std::vector<ItemRun> run_all(World& world, const std::vector<RenderedItem>& items,
                             const ExecutionInput& input) {
  std::vector<ItemRun> runs(items.size());
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < items.size(); ++i) {
    runs[i].name = items[i].name;
    runs[i].deploy_item = name_of(items[i].deploy_item);
    threads.emplace_back([&world, &input, &run = runs[i]] {
      run.outcome = run_item(world, ns_of(input.object), run.deploy_item,
                             {.force = input.force, .wait = input.wait});
    });
  }
  threads.clear();
  return runs;
}

/// Items run side by side, but what the caller gave us is called by one thread at a time.
World serialized(const World& world) {
  World result = world;
  const auto mutex = std::make_shared<std::mutex>();
  if (world.on_write) {
    result.on_write = [mutex, inner = world.on_write](const Write& write) {
      const std::scoped_lock lock(*mutex);
      inner(write);
    };
  }
  return result;
}

/// Wrong input needs somebody; anything else may be better the next time.
bool needs_somebody(const Json& deploy_item) {
  const Json* codes = data::find_path(deploy_item, {"status", "lastError", "codes"});
  if (codes == nullptr || !codes->is_array()) {
    return false;
  }
  return std::any_of(codes->begin(), codes->end(), [](const Json& code) {
    return code == "ERR_CONFIGURATION_PROBLEM" || code == "ERR_UNAUTHORIZED";
  });
}

Json item_status(const ItemRun& run) {
  Json entry{{"name", run.name}, {"deployItem", run.deploy_item}};
  if (!run.outcome) {
    entry["message"] = run.outcome.error().to_string();
    return entry;
  }
  if (!run.outcome->phase.empty()) {
    entry["phase"] = run.outcome->phase;
  }
  if (run.outcome->state != Progress::State::done) {
    entry["message"] = run.outcome->message;
  }
  return entry;
}

/// The worst of the items decides.
ExecutionOutcome summarize(const std::vector<ItemRun>& runs) {
  ExecutionOutcome result;
  std::size_t succeeded = 0;
  Json items = Json::array();
  const auto worsen = [&result](State state, const std::string& reason, std::string message) {
    if (state > result.state) {
      result.state = state;
      result.reason = reason;
      result.message = std::move(message);
    }
  };
  for (const ItemRun& run : runs) {
    items.push_back(item_status(run));
    if (!run.outcome) {
      worsen(State::failed,
             run.outcome.error().reason.empty() ? "ItemFailed" : run.outcome.error().reason,
             cat("item ", run.name, ": ", run.outcome.error().message));
    } else if (run.outcome->state == Progress::State::running) {
      worsen(State::progressing, "Running", cat("item ", run.name, ": ", run.outcome->message));
    } else if (run.outcome->state == Progress::State::failed) {
      worsen(needs_somebody(run.outcome->item) ? State::stalled : State::failed,
             run.outcome->reason, cat("item ", run.name, ": ", run.outcome->message));
    } else {
      ++succeeded;
    }
  }
  result.status["items"] = std::move(items);
  result.status["progress"] = cat(succeeded, "/", runs.size());
  if (result.state == State::ready) {
    result.reason = "Succeeded";
    result.message = cat(succeeded, " of ", runs.size(), " items succeeded");
  }
  return result;
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
  metadata["labels"]["app.kubernetes.io/managed-by"] = "kubist";
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

util::Result<> delete_item(World& world, const Json& item, bool wait, bool skip_uninstall,
                           std::string& unfinished) {
  const resources::ObjectView view(item);
  if (view.deletion_timestamp().empty()) {
    KUBIST_CHECK(remove(world, {*world.home, ""}, deploy_items(), std::string(view.ns()),
                        std::string(view.name()), std::string(view.uid())));
  }
  KUBIST_TRY(const ItemOutcome outcome,
             remove_item(world, std::string(view.ns()), std::string(view.name()), {.wait = wait},
                         skip_uninstall));
  if (outcome.state != Progress::State::done) {
    unfinished = cat("DeployItem ", view.name(), ": ", outcome.message);
    if (outcome.state == Progress::State::failed) {
      return util::fail(util::ErrorKind::unavailable, unfinished);
    }
  }
  return {};
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
    std::string unfinished;
    KUBIST_CHECK(delete_item(world, *gone, input.wait, false, unfinished));
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

util::Result<ExecutionOutcome> remove_execution(World& world, const ExecutionInput& input,
                                                bool skip_uninstall) {
  KUBIST_TRY(const auto items, owned_items(world, input.object));
  ExecutionOutcome outcome;
  outcome.reason = "Removed";
  for (const Json& item : items) {
    std::string unfinished;
    KUBIST_CHECK(delete_item(world, item, input.wait, skip_uninstall, unfinished));
    if (!unfinished.empty()) {
      outcome.state = State::progressing;
      outcome.reason = "Removing";
      outcome.message = unfinished;
    }
  }
  return outcome;  // Secrets go with their owner
}

}  // namespace kubist::deployers
