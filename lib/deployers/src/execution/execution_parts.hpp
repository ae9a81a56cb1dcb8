#pragma once
#include <memory>
#include <optional>
#include <set>
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
/// What an Execution comes to that cannot be run.
ExecutionOutcome outcome_of(const util::Error& error);
/// Names of the items that earlier runs have seen succeed, by the status.
std::set<std::string> known_good(const Json& execution);
/// The first error, where all that failed did so by errors of its kind.
std::optional<util::Error> common_error(const std::vector<ItemRun>& runs);

bool succeeded(const ItemRun& run);
/// The exports that are kept of a DeployItem, also those of before a failed run; null: none.
util::Result<Json> kept_exports(World& world, const Json& deploy_item);

/// Without the fields that are null, at any depth.
Json without_nulls(Json value);
/// Makes the DeployItems, or brings them up to date, and removes those of the Execution that are
/// not among them (in a dry run it only says so). Those that are refused or held are left as they
/// are. `present`: those of the Execution. `of_template`: they are parts of that Templates item;
/// empty: they are the items, and parts of Templates items that are among them stay. Names of those
/// that were there and had succeeded before. Conflict, reason NameTaken: one is somebody else's, or
/// another item's. Unavailable: one does not go.
util::Result<std::set<std::string>> apply_items(World& world, const ExecutionInput& input,
                                                const std::vector<Json>& present,
                                                std::vector<RenderedItem>& items,
                                                std::string_view of_template);
/// Applies it over the one that is there (null: none is) where that differs: what runs is what was
/// rendered, without fields that somebody added. The object as it is then.
util::Result<Json> apply_exactly(World& world, const Json& wanted, const Json* present);
/// The DeployItems that the Execution made. Invalid, reason Unreadable: one of them is nested too
/// deep, or it cannot be told whose it is. What others own is passed over.
/// Invalid, reason TooLarge: what is to be kept of them takes more than 128 MiB of memory.
enum class Keep { whole, for_removal };  ///< for_removal: without managedFields and spec.config
util::Result<std::vector<Json>> owned_items(World& world, const Json& execution,
                                            Keep keep = Keep::whole);
/// Requests the deletion of these items, where nobody has, and sees it through: each after those
/// that depend on it (k_depends_annotation) are gone. Those that wait for one that stays are
/// `running`. Cancelled: stop was requested before any.
util::Result<std::vector<ItemRun>> remove_items(World& world, const std::vector<Json>& items,
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

/// Of a dry run: nothing is wrong with the imports, but one of them is not there yet.
bool is_later(const util::Result<Json>& imports);

/// What a dry run can tell once the items are applied: Templates items that wait for no other item
/// are rendered. `imports`: as of resolve_imports(), no error but one that is_later().
ExecutionOutcome preview_execution(World& world, const ExecutionInput& input,
                                   const std::vector<Json>& present,
                                   const util::Result<Json>& imports, const ItemGroup& group);

/// A DeployItem as it was when its Execution last succeeded; null: what is there cannot be read.
struct LastItem {
  Json deploy_item;
  std::optional<std::string> imports;  ///< its import values, as JSON text
};
/// Keeps what an item that has succeeded is, for a rollback to return to.
util::Result<> keep_last(World& world, const ExecutionInput& input, const RenderedItem& item);
util::Result<std::optional<LastItem>> find_last(World& world, const Json& deploy_item);

/// Keeps what the Execution exports of its items, and says so in the status. Where an item does not
/// export what it is to, that is the outcome.
util::Result<> keep_exports(World& world, const ExecutionInput& input,
                            const std::vector<ItemRun>& runs, ExecutionOutcome& outcome);

}  // namespace kubist::deployers
