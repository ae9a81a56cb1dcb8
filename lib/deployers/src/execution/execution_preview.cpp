#include <kubist/deployers/runner.hpp>
#include <kubist/util/text.hpp>

#include "execution/execution_parts.hpp"
#include "item/requests.hpp"

// What a dry run can tell of an Execution.
namespace kubist::deployers {
namespace {

using util::cat;

/// The DeployItem of a part as it would be then, and what it would do.
util::Result<std::string> preview_part(World& world, const ExecutionInput& input,
                                       const RenderedItem& part) {
  if (!part.held.empty()) {
    return cat("item ", part.name, ": ", part.held);
  }
  if (part.imports) {
    return cat("what item ", part.name, " would do is known when it gets its imports");
  }
  Json item = part.deploy_item;
  KUBIST_TRY(const auto live,
             world.home->find(deploy_items(), ns_of(item), name_of(item), world.stop));
  if (live) {
    item = *live;
    item["spec"] = part.deploy_item["spec"];
  }
  KUBIST_TRY(const ItemOutcome outcome, preview_item(world, item, input.force));
  return outcome.message.empty() ? "" : cat("item ", part.name, ": ", outcome.message);
}

/// A Templates item that waits for no other item is rendered.
util::Result<std::string> preview_template(World& world, const ExecutionInput& input,
                                           const std::vector<Json>& present, const Json& outer,
                                           const RenderedItem& item) {
  const auto imports = item_imports(world, input, item, outer, Json::object());
  if (is_later(imports)) {
    return cat("item ", item.name, ": ", imports.error().message);
  }
  KUBIST_CHECK(imports);
  KUBIST_TRY(auto rendering, render_template(world, input, {item, *imports, Json::object()}));
  auto& parts = rendering.parts.items;
  review_items(world, parts);
  if (const auto refusal = refusal_of(parts)) {
    return util::fail(*refusal);
  }
  KUBIST_CHECK(apply_items(world, input, present, parts, item.name));
  std::vector<std::string> lines;
  for (const RenderedItem& part : parts) {
    KUBIST_TRY(lines.emplace_back(), preview_part(world, input, part));
  }
  std::erase(lines, "");
  return util::join(lines, "; ");
}

}  // namespace

ExecutionOutcome preview_execution(World& world, const ExecutionInput& input,
                                   const std::vector<Json>& present,
                                   const util::Result<Json>& imports, const ItemGroup& group) {
  std::vector<std::string> lines;
  if (!imports) {
    lines.push_back(imports.error().message);
  }
  for (std::size_t i = 0; imports && i < group.items.size(); ++i) {
    const RenderedItem& item = group.items[i];
    if (!item.deploy_item.is_null()) {
      lines.push_back(item.held.empty() ? "" : cat("item ", item.name, ": ", item.held));
    } else if (!group.order[i].empty()) {
      lines.push_back(cat("what the template of item ", item.name,
                          " makes is known when the items before it have run"));
    } else if (auto line = preview_template(world, input, present, *imports, item)) {
      lines.push_back(*std::move(line));
    } else {
      return outcome_of(line.error());
    }
  }
  std::erase(lines, "");
  ExecutionOutcome outcome;
  outcome.reason = "DryRun";
  outcome.message = util::join(lines, "; ");
  return outcome;
}

}  // namespace kubist::deployers
