#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <kubist/data/compare.hpp>
#include <kubist/data/json_outline.hpp>
#include <kubist/data/json_stream.hpp>
#include <kubist/data/memory.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/http/transport.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/kube/room.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "execution/execution_parts.hpp"
#include "item/requests.hpp"

namespace kubist::deployers {

using util::cat;

namespace {

bool is_owned(const Json& item, std::string_view uid) {
  const auto owners = resources::ObjectView(item).owners();
  return std::any_of(owners.begin(), owners.end(),
                     [&](const auto& owner) { return owner.uid == uid; });
}

constexpr std::size_t k_most_memory = std::size_t{128} << 20U;  ///< of an Execution's items

/// A member may write an item with the Execution's label that cannot be read. Only one that the
/// Execution owns, or whose metadata does not say so, is its error: else a removal ends too early.
util::Result<> check_unreadable(const data::ListItem& item, std::string_view uid,
                                const util::Error& error) {
  const Json outline = data::outline(item.raw);
  if (resources::ObjectView(outline).uid().empty() || is_owned(outline, uid)) {
    return util::fail(
        util::ErrorKind::invalid,
        cat("DeployItem ", item.name_space, "/", item.name, " cannot be read: ", error.message),
        "Correct or delete it.", "Unreadable");
  }
  return {};
}

}  // namespace

util::Result<std::vector<Json>> owned_items(World& world, const Json& execution, Keep keep) {
  const auto uid = data::string_at(execution, {"metadata", "uid"});
  std::vector<Json> items;
  std::size_t bytes = 0;
  const auto take = [&](const data::ListItem& item) -> util::Result<> {
    auto read = kube::read_item(deploy_items(), item.raw);
    if (!read) {
      return check_unreadable(item, uid, read.error());
    }
    if (!is_owned(*read, uid)) {
      return {};
    }
    if (keep == Keep::for_removal) {
      data::erase_path(*read, {"metadata", "managedFields"});
      data::erase_path(*read, {"spec", "config"});
    }
    bytes += data::memory_of(*read);
    items.push_back(*std::move(read));
    return bytes <= k_most_memory
               ? util::Result<>{}
               : util::fail(util::ErrorKind::invalid,
                            cat("the items of Execution ", name_of(execution), " take more than ",
                                k_most_memory >> 20U, " MiB of memory"),
                            "Delete some, or make them smaller.",
                            std::string(http::k_failure_too_large));
  };
  kube::ListOptions options;
  options.label_selector = cat(k_execution_label, "=", label_value(name_of(execution)));
  KUBIST_CHECK(world.home->list_items(deploy_items(), ns_of(execution), options, take, world.stop));
  return items;
}

Json without_nulls(Json value) {
  if (value.is_object()) {
    for (auto at = value.begin(); at != value.end();) {
      at = at->is_null() ? value.erase(at) : std::next(at);
    }
  }
  if (value.is_structured()) {
    for (Json& each : value) {
      each = without_nulls(std::move(each));
    }
  }
  return value;
}

bool succeeded(const ItemRun& run) {
  return run.outcome && run.outcome->state == Progress::State::done;
}

namespace {

util::Result<> check_owner(const ExecutionInput& input, const RenderedItem& item,
                           const Json& present) {
  const resources::ObjectView view(present);
  const auto own = view.annotation(k_item_annotation);
  if (is_owned(present, data::string_at(input.object, {"metadata", "uid"})) &&
      (own.empty() || own == item.name)) {
    return {};
  }
  return util::fail(util::ErrorKind::conflict,
                    cat("DeployItem ", view.ns(), "/", view.name(), " belongs to ",
                        own.empty() ? "somebody else" : cat("item ", own)),
                    "", "NameTaken");
}

/// What there is under its name; nothing: it was made just now.
util::Result<std::optional<Json>> make_item(World& world, RenderedItem& item) {
  const Json& wanted = item.deploy_item;
  auto made = world.writer.dry()  // what is there is not refused by a client
                  ? util::Result<Json>(Json())
                  : world.writer.apply({*world.home}, deploy_items(), wanted, {.only_new = true});
  if (made && !made->is_null()) {
    item.live = std::make_shared<const Json>(*std::move(made));
    return std::optional<Json>();
  }
  if (!made && !kube::is_conflict(made.error())) {
    return util::fail(made.error());
  }
  return world.home->find(deploy_items(), ns_of(wanted), name_of(wanted), world.stop);
}

/// An apply would leave fields that somebody added, which are not its own.
bool has_additions(const Json& wanted, const Json& present) {
  return without_nulls(present.value("spec", Json())) != without_nulls(wanted.at("spec"));
}

util::Result<> drop_additions(World& world, const Json& wanted, Json& present) {
  if (!has_additions(wanted, present)) {
    return {};
  }
  KUBIST_TRY(
      Json exact,
      world.writer.patch(
          {*world.home}, deploy_items(), ns_of(wanted), name_of(wanted), kube::PatchType::json,
          Json::array({{{"op", "replace"}, {"path", "/spec"}, {"value", wanted.at("spec")}}}),
          {.detail = "as it was rendered"}));
  if (!exact.is_null()) {  // but in a dry run
    present = std::move(exact);
  }
  return {};
}

/// Of one that is refused or held: its `live` says that it is as it is to be.
bool leave_item(const Json* present, RenderedItem& item) {
  if (present == nullptr) {
    return false;
  }
  if (data::contains_all(*present, item.deploy_item) &&
      !has_additions(item.deploy_item, *present)) {
    item.live = std::make_shared<const Json>(*present);
  }
  return has_succeeded(present->value("status", Json::object()));
}

}  // namespace

util::Result<Json> apply_exactly(World& world, const Json& wanted, const Json* present) {
  Json live = present == nullptr ? Json() : *present;
  if (present == nullptr || !data::contains_all(live, wanted)) {
    KUBIST_TRY(live, apply_deploy_item(world, wanted, present));
  }
  KUBIST_CHECK(drop_additions(world, wanted, live));
  return live;
}

namespace {

/// Makes the DeployItem, or brings it up to date; one that is refused or held is left as it is.
/// `listed`: it, null where it was not. True: it was there and has succeeded before.
util::Result<bool> apply_item(World& world, const ExecutionInput& input, const Json* listed,
                              RenderedItem& item) {
  const Json& wanted = item.deploy_item;
  if (item.refused || !item.held.empty()) {
    return leave_item(listed, item);
  }
  std::optional<Json> present;
  if (listed != nullptr) {
    present = *listed;
  } else {
    KUBIST_TRY(present, make_item(world, item));
  }
  if (item.live) {
    return false;
  }
  if (present) {
    KUBIST_CHECK(check_owner(input, item, *present));
  }
  const bool good = present && has_succeeded(present->value("status", Json::object()));
  KUBIST_TRY(Json live, apply_exactly(world, wanted, present ? &*present : nullptr));
  item.live = std::make_shared<const Json>(std::move(live));
  return good;
}

/// The DeployItems of `items` by name, as they are in `present`; null: not there. Anybody may add
/// to what is present, so each is compared with few others.
using PresentItems = std::map<std::string, const Json*, std::less<>>;
PresentItems find_present(const std::vector<Json>& present,
                          const std::vector<RenderedItem>& items) {
  PresentItems found;
  for (const RenderedItem& item : items) {
    if (!item.deploy_item.is_null()) {
      found.emplace(name_of(item.deploy_item), nullptr);
    }
  }
  for (const Json& object : present) {
    if (const auto at = found.find(resources::ObjectView(object).name()); at != found.end()) {
      at->second = &object;
    }
  }
  return found;
}

/// Removes those that are not among `wanted`.
util::Result<> prune(World& world, const ExecutionInput& input, std::vector<Json> present,
                     const std::vector<RenderedItem>& wanted, std::string_view of_template) {
  std::set<std::string, std::less<>> names, templates;
  for (const RenderedItem& each : wanted) {
    if (each.deploy_item.is_null()) {
      templates.insert(each.name);
    } else {
      names.insert(name_of(each.deploy_item));
    }
  }
  std::erase_if(present, [&](const Json& object) {
    const resources::ObjectView view(object);
    const auto item = view.annotation(k_item_annotation);
    const auto head = item.substr(0, item.find('/'));
    // Parts are pruned by the Templates item that they belong to, once it has been rendered.
    return names.contains(view.name()) || templates.contains(head) ||
           (!of_template.empty() && (head != of_template || head == item));
  });
  if (world.writer.dry()) {
    return delete_dry(world, present);
  }
  KUBIST_TRY(
      const auto runs,
      remove_items(world, present, {.wait = input.wait, .skip_uninstall = input.skip_uninstall}));
  for (const ItemRun& run : runs) {
    if (!run.outcome) {
      return util::fail(run.outcome.error());
    }
    if (run.outcome->state == Progress::State::failed) {
      return util::fail(
          util::ErrorKind::unavailable,
          cat("DeployItem ", run.deploy_item, " is no longer wanted: ", run.outcome->message));
    }
  }
  return {};
}

}  // namespace

util::Result<std::set<std::string>> apply_items(World& world, const ExecutionInput& input,
                                                const std::vector<Json>& present,
                                                std::vector<RenderedItem>& items,
                                                std::string_view of_template) {
  const PresentItems listed = find_present(present, items);
  std::set<std::string> good;
  for (RenderedItem& item : items) {
    if (item.deploy_item.is_null()) {
      continue;
    }
    KUBIST_TRY(const bool has_succeeded,
               apply_item(world, input, listed.at(name_of(item.deploy_item)), item));
    if (has_succeeded) {
      good.insert(item.name);
    }
  }
  KUBIST_CHECK(prune(world, input, present, items, of_template));
  return good;
}

}  // namespace kubist::deployers
