#pragma once
#include <string>

#include <kubist/deployers/execution.hpp>
#include <kubist/deployers/runner.hpp>

namespace kubist::deployers {

inline constexpr std::string_view k_execution_label = "kubist.io/execution";
inline constexpr std::string_view k_rendered_annotation = "kubist.io/rendered";

const kube::ApiResource& executions();
/// The label value that stands for an Execution's name.
std::string execution_label(std::string_view name);
Json execution_owner(const Json& execution);

std::string name_of(const Json& object);
std::string ns_of(const Json& object);
/// "landscaper.gardener.cloud/v1alpha1 DeployItem/NS/NAME", for reports.
std::string item_title(const Json& deploy_item);

/// What one item of an Execution came to.
struct ItemRun {
  std::string name;  ///< of the item in the Execution
  std::string deploy_item;
  util::Result<ItemOutcome> outcome = ItemOutcome{};
};
/// The state of the Execution and its status: the worst of the items decides.
ExecutionOutcome summarize(const std::vector<ItemRun>& runs);

/// The DeployItems that the Execution made.
util::Result<std::vector<Json>> owned_items(World& world, const Json& execution);
/// Requests the deletion of an item, where nobody has, and sees it through.
util::Result<ItemOutcome> delete_item(World& world, const Json& item,
                                      const RemoveItemOptions& options);
/// The same world for items side by side: what the caller gave is called by one thread at a time.
World serialized(const World& world);

/// The import values by name. Not_found, reason ImportNotFound: what is missing, and where.
/// Invalid, reason SecretNotAllowed: a Secret that executions may not read.
util::Result<Json> resolve_imports(World& world, const std::string& ns, const Json& spec);

/// The Execution's exports from those of its items: `values`, and which are public.
struct CollectedExports {
  Json values = Json::object();
  Json public_values = Json::object();
};
/// `by_item`: the exports of each item by its name. Invalid, reason ExportNotFound.
util::Result<CollectedExports> map_exports(const Json& spec, const Json& by_item);

}  // namespace kubist::deployers
