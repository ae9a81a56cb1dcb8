#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kubist/deployers/execution.hpp>
#include <kubist/deployers/runner.hpp>

#include "item/in_order.hpp"
#include "item/requests.hpp"

namespace kubist::deployers {

/// Of a DeployItem: its name in the Execution ("web", or "web/db": part db of Templates item web),
/// and the names of those that it depends on, with commas.
inline constexpr std::string_view k_item_annotation = "kubist.io/item";
inline constexpr std::string_view k_depends_annotation = "kubist.io/depends-on";

const kube::ApiResource& executions();
Json execution_owner(const Json& execution);

/// One item of an Execution, or one part of a Templates item.
struct RenderedItem {
  std::string name;      ///< as k_item_annotation has it
  Json source;           ///< as the Execution or the template says it
  Json deploy_item;      ///< null: a Templates item, which is rendered when its turn comes
  bool imports = false;  ///< it gets import values
  std::shared_ptr<const Json> live = nullptr;         ///< as apply_item() left it in this run
  std::optional<util::Error> refused = std::nullopt;  ///< why it must not be: World::review
  std::string held = {};                              ///< why it stays as it is for now
};
/// Items that run together: each after those that `order` names.
struct ItemGroup {
  std::vector<RenderedItem> items;
  Order order;
};
/// The DeployItems of an Execution. Pure. Invalid, reason InvalidItem: an item that cannot be (with
/// its name).
util::Result<ItemGroup> render_execution(const ExecutionInput& input);
/// One of its items; `depends_on`: names of items; `imports`: there are values for it besides its
/// own imports. The type is Container, Script or (then without a DeployItem) Templates. Pure.
RenderedItem render_item(const ExecutionInput& input, const Json& item, std::string name,
                         const std::vector<std::string>& depends_on, bool imports);
/// A part of a Templates item that says a DeployItem's spec itself. It gets import values where its
/// deployer takes any and it names none itself. Pure.
RenderedItem render_part(const ExecutionInput& input, const Json& part, std::string name,
                         const std::vector<std::string>& depends_on, bool imports, Json spec);
tl::unexpected<util::Error> invalid_item(std::string message, std::string hint = {});
/// Invalid where a field of the Execution is there and no list.
util::Result<> check_list(std::string_view field, const Json* value);
/// The import Secret of a DeployItem with these values, as JSON text. `metadata`: of what belongs
/// to the item's owner, with the namespace. Pure.
Json import_secret(Json metadata, const std::string& deploy_item, std::string_view values);
/// Lets the spec of that DeployItem import it.
void refer_to_imports(Json& spec, const std::string& deploy_item);
/// Metadata for an object of that name that belongs to the Execution. Pure.
Json owned_metadata(const ExecutionInput& input, std::string name);
/// The name of the DeployItem of an item.
std::string deploy_item_name(std::string_view execution, std::string_view item);

/// What a Templates item gives.
struct Rendering {
  ItemGroup parts;
  Json exports = Json::object();  ///< the template's own
  std::optional<Json> state;      ///< for its next run; nothing: stays as it is
};
struct TemplateInput {
  const RenderedItem& item;
  const Json& imports;
  const Json& exports;  ///< of the items that it depends on, by name
};
/// Evaluates the template. Invalid, reason TemplateFailed or InvalidItem: what is wrong with it or
/// with what it gave, without any value that it was given.
util::Result<Rendering> render_template(World& world, const ExecutionInput& input,
                                        const TemplateInput& given);
/// Keeps the state of a template for its next run, where it is new.
util::Result<> keep_template_state(World& world, const ExecutionInput& input,
                                   const RenderedItem& item, const Json& state);

/// Asks World::review about those that are DeployItems by now, all at once: what it makes of them
/// is what is applied, compared and kept.
void review_items(World& world, std::vector<RenderedItem>& items);
/// The same of one that is not to be held back. An error: why it must not be, or not now.
util::Result<Json> reviewed(World& world, Json deploy_item);
/// The generation of a DeployItem that was reviewed, for RunOptions; 0 where nobody reviews.
std::int64_t generation_of(const World& world, const Json& deploy_item);
/// Why some of them must not be, by the first one; nothing: all may.
std::optional<util::Error> refusal_of(const std::vector<RenderedItem>& items);
/// Reason of one that stays as it is for now.
inline constexpr std::string_view k_held = "Held";
/// What becomes of an item that is held: where it has succeeded as it is to be, it still has.
ItemOutcome held_outcome(const RenderedItem& item);

/// What one item of an Execution came to.
struct ItemRun {
  std::string name;  ///< of the item in the Execution
  std::string deploy_item;
  util::Result<ItemOutcome> outcome = ItemOutcome{};
  std::vector<ItemRun> parts;  ///< of a Templates item that could be rendered
  Json exports;                ///< null: none, or nobody asked for them
  bool had_succeeded = false;  ///< before this run of the Execution
  bool refused = false;        ///< its outcome is RenderedItem::refused
};
/// The state of the Execution and its status: the worst of the items decides.
ExecutionOutcome summarize(const std::vector<ItemRun>& runs);
/// The first error, where all that failed did so by errors of its kind.
std::optional<util::Error> common_error(const std::vector<ItemRun>& runs);

bool succeeded(const ItemRun& run);
/// The exports that are kept of a DeployItem, also those of before a failed run; null: none.
util::Result<Json> kept_exports(World& world, const Json& deploy_item);

/// Without the fields that are null, at any depth.
Json without_nulls(Json value);
/// Makes the DeployItem, or brings it up to date (in a dry run it only says so); one that is
/// refused or held is left as it is. `present`: those of the Execution. True: it was there and has
/// succeeded before. Conflict, reason NameTaken: it is somebody else's, or another item's.
util::Result<bool> apply_item(World& world, const ExecutionInput& input,
                              const std::vector<Json>& present, RenderedItem& item);
/// Applies it over the one that is there (null: none is) where that differs: what runs is what was
/// rendered, without fields that somebody added. The object as it is then.
util::Result<Json> apply_exactly(World& world, const Json& wanted, const Json* present);
/// The DeployItems that the Execution made.
util::Result<std::vector<Json>> owned_items(World& world, const Json& execution);
/// Removes those of the Execution's DeployItems that are not among `wanted` (in a dry run it only
/// says so). `of_template`: of that Templates item's parts alone; empty: all but the parts of
/// Templates items that are wanted. Unavailable: one that does not go.
util::Result<> prune(World& world, const ExecutionInput& input, std::vector<Json> present,
                     const std::vector<RenderedItem>& wanted, std::string_view of_template);
/// Requests the deletion of these items, where nobody has, and sees it through: each after those
/// that depend on it (k_depends_annotation) are gone. Those that wait for one that stays are
/// `running`.
std::vector<ItemRun> remove_items(World& world, const std::vector<Json>& items,
                                  const RemoveItemOptions& options);
/// What remove_items() would delete, in a dry run.
util::Result<> delete_dry(World& world, const std::vector<Json>& items);

inline constexpr std::string_view k_import_later = "ImportLater";

/// The values of `imports` (a list of entries, or null) by name. `by_item`: exports of items by
/// their names, for itemRef. Not_found, reason ImportNotFound: what is missing, and where. In a dry
/// run not_ready, reason k_import_later: an Execution exports it that has not run yet. Invalid,
/// reason SecretNotAllowed: a Secret that executions may not read.
util::Result<Json> resolve_imports(World& world, const std::string& ns, const Json* imports,
                                   const Json& by_item);

/// The values that an item gets: its own imports over `outer`, those of the Execution. `exports`:
/// of the items before it, by name. Errors as of resolve_imports().
util::Result<Json> item_imports(World& world, const ExecutionInput& input, const RenderedItem& item,
                                const Json& outer, const Json& exports);

/// What an attempt is known by that was rolled back: the items and the imports that it was of.
std::string rollback_hash(const ExecutionInput& input, const Json& imports);
/// Keeps what an item that has succeeded is, for a rollback to return to.
util::Result<> keep_last(World& world, const ExecutionInput& input, const RenderedItem& item);
/// Items that a rollback would have to change, but cannot: they had succeeded before this run, and
/// nothing is kept of them. `kept`: what is kept is of the Execution's last success.
util::Result<std::vector<std::string>> unrecorded_items(World& world, const ItemGroup& group,
                                                        const std::vector<ItemRun>& runs,
                                                        bool kept);
struct RolledBack {
  std::string item;
  std::string what;      ///< a line about what was done; empty: nothing
  bool removed = false;  ///< it was new in this run
};
/// Takes items that ran or failed back to what was kept, those that depend on others first. Of
/// items of which nothing is kept, those are removed that had not succeeded before this run.
std::vector<RolledBack> roll_back(World& world, const std::string& project, const ItemGroup& group,
                                  const std::vector<ItemRun>& runs);

/// The Execution's exports from those of its items: `values`, and which are public.
struct CollectedExports {
  Json values = Json::object();
  Json public_values = Json::object();
};
/// `by_item`: the exports of each item by its name. Invalid, reason ExportNotFound.
util::Result<CollectedExports> map_exports(const Json& spec, const Json& by_item);

}  // namespace kubist::deployers
