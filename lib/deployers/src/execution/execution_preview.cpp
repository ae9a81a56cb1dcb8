#include <kubist/data/pointer.hpp>
#include <kubist/deployers/runner.hpp>
#include <kubist/util/text.hpp>

#include "execution/execution_parts.hpp"
#include "item/requests.hpp"

// What a dry run can tell of an Execution.
namespace kubist::deployers {
namespace {

using util::cat;

/// What is known by now.
struct Preview {
  std::vector<std::string> lines;
  std::optional<std::string> failure;  ///< reason of the first item that would fail
};

/// Nobody knows what a pod would do, whatever it gets.
bool runs_pod(const World& world, const Json& deploy_item) {
  const Deployer* deployer =
      find_deployer(data::string_at(deploy_item, {"spec", "type"}), world.settings);
  return deployer != nullptr && deployer->runs_pods();
}

/// The DeployItem of a part as it would be then, and what it would do; `message` names it.
util::Result<ItemOutcome> preview_part(World& world, const ExecutionInput& input,
                                       const RenderedItem& part) {
  ItemOutcome outcome;
  if (!part.held.empty()) {
    outcome.message = cat("item ", part.name, ": ", part.held);
    return outcome;
  }
  if (part.imports) {
    outcome.message =
        runs_pod(world, part.deploy_item)
            ? ""
            : cat("what item ", part.name, " would do is known when it gets its imports");
    return outcome;
  }
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
  return outcome;
}

/// A Templates item that waits for no other item is rendered.
util::Result<> preview_template(World& world, const ExecutionInput& input,
                                const std::vector<Json>& present, const Json& outer,
                                const RenderedItem& item, Preview& preview) {
  const auto imports = item_imports(world, input, item, outer, Json::object());
  if (is_later(imports)) {
    preview.lines.push_back(cat("item ", item.name, ": ", imports.error().message));
    return {};
  }
  KUBIST_CHECK(imports);
  KUBIST_TRY(auto rendering, render_template(world, input, {item, *imports, Json::object()}));
  ItemGroup& parts = rendering.parts;
  review_items(world, parts.items);
  if (const auto refusal = refusal_of(parts.items)) {
    return util::fail(*refusal);
  }
  KUBIST_CHECK(apply_items(world, input, present, parts.items, item.name));
  for (std::size_t i = 0; i < parts.items.size(); ++i) {
    KUBIST_TRY(const ItemOutcome part, preview_part(world, input, parts.items[i]));
    preview.lines.push_back(part.message);
    // What others make first may be all that it lacks.
    const bool fails = part.state == Progress::State::failed && parts.order[i].empty();
    if (fails && !preview.failure) {
      preview.failure = part.reason;
    }
  }
  return {};
}

}  // namespace

ExecutionOutcome preview_execution(World& world, const ExecutionInput& input,
                                   const std::vector<Json>& present,
                                   const util::Result<Json>& imports, const ItemGroup& group) {
  Preview preview;
  if (!imports) {
    preview.lines.push_back(imports.error().message);
  }
  for (std::size_t i = 0; imports && i < group.items.size(); ++i) {
    const RenderedItem& item = group.items[i];
    if (!item.deploy_item.is_null()) {
      preview.lines.push_back(item.held.empty() ? "" : cat("item ", item.name, ": ", item.held));
    } else if (!group.order[i].empty()) {
      preview.lines.push_back(cat("what the template of item ", item.name,
                                  " makes is known when the items before it have run"));
    } else if (const auto known = preview_template(world, input, present, *imports, item, preview);
               !known) {
      return outcome_of(known.error());
    }
  }
  std::erase(preview.lines, "");
  ExecutionOutcome outcome;
  outcome.state =
      preview.failure ? ExecutionOutcome::State::failed : ExecutionOutcome::State::ready;
  outcome.reason = preview.failure.value_or("DryRun");
  outcome.message = util::join(preview.lines, "; ");
  return outcome;
}

}  // namespace kubist::deployers
