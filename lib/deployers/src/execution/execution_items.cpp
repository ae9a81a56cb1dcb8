#include <algorithm>

#include <kubist/data/compare.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "execution/execution_parts.hpp"
#include "item/requests.hpp"

namespace kubist::deployers {

using util::cat;

util::Result<std::vector<Json>> owned_items(World& world, const Json& execution) {
  kube::ListOptions options;
  options.label_selector = cat(k_execution_label, "=", label_value(name_of(execution)));
  KUBIST_TRY(auto list, world.home->list(deploy_items(), ns_of(execution), options, world.stop));
  const auto uid = data::string_at(execution, {"metadata", "uid"});
  std::erase_if(list.items, [&](const Json& item) {
    const auto owners = resources::ObjectView(item).owners();
    return std::none_of(owners.begin(), owners.end(),
                        [&](const auto& owner) { return owner.uid == uid; });
  });
  return std::move(list.items);
}

namespace {

util::Result<ItemOutcome> remove_one(World& world, const Json& item,
                                     const RemoveItemOptions& options) {
  const resources::ObjectView view(item);
  const std::string ns(view.ns());
  const std::string name(view.name());
  KUBIST_CHECK(request_item_deletion(world, ns, name, std::string(view.uid())));
  return remove_item(world, ns, name, options);
}

/// Which items go before which: those that depend on one before it. A name stands for all parts of
/// a Templates item, too.
Order removal_order(const std::vector<Json>& items) {
  Order depends(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto names =
        util::split(resources::ObjectView(items[i]).annotation(k_depends_annotation), ',');
    for (std::size_t other = 0; other < items.size(); ++other) {
      const auto own = resources::ObjectView(items[other]).annotation(k_item_annotation);
      const bool named = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return !name.empty() && (own == name || own.starts_with(cat(name, "/")));
      });
      if (named && other != i) {
        depends[i].push_back(other);
      }
    }
  }
  // Annotations can be anything by now: where items wait for each other they go side by side.
  const Order all = closure(depends);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (std::find(all[i].begin(), all[i].end(), i) != all[i].end()) {
      return Order(items.size());
    }
  }
  return reversed(depends);
}

}  // namespace

util::Result<> delete_dry(World& world, const std::vector<Json>& items) {
  for (const Json& item : items) {
    KUBIST_CHECK(world.writer.remove({*world.home}, deploy_items(), ns_of(item), name_of(item),
                                     resources::ObjectView(item).uid()));
  }
  return {};
}

std::vector<ItemRun> remove_items(World& world, const std::vector<Json>& items,
                                  const RemoveItemOptions& options) {
  std::vector<ItemRun> runs(items.size());
  const Order order = removal_order(items);
  const auto threw = [&](std::size_t i, const util::Error& error) {
    runs[i].outcome = util::fail(error);
  };
  const std::string project = items.empty() ? "" : ns_of(items.front());
  run_in_order(order, project, threw, [&](std::size_t i) {
    ItemRun& run = runs[i];
    run.name = resources::ObjectView(items[i]).annotation(k_item_annotation);
    run.deploy_item = name_of(items[i]);
    for (const std::size_t other : order[i]) {
      if (!succeeded(runs[other])) {
        run.outcome = ItemOutcome{};
        run.outcome->state = Progress::State::running;
        run.outcome->message = cat("waits for DeployItem ", runs[other].deploy_item, " to go");
        return;
      }
    }
    run.outcome = remove_one(world, items[i], options);
  });
  return runs;
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
  const auto owners = view.owners();
  const auto uid = data::string_at(input.object, {"metadata", "uid"});
  const auto own = view.annotation(k_item_annotation);
  if (std::any_of(owners.begin(), owners.end(),
                  [&](const auto& owner) { return owner.uid == uid; }) &&
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

util::Result<bool> apply_item(World& world, const ExecutionInput& input,
                              const std::vector<Json>& listed, RenderedItem& item) {
  const Json& wanted = item.deploy_item;
  const auto known = std::find_if(listed.begin(), listed.end(), [&](const Json& each) {
    return name_of(each) == name_of(wanted);
  });
  if (item.refused || !item.held.empty()) {
    return leave_item(known == listed.end() ? nullptr : &*known, item);
  }
  std::optional<Json> present;
  if (known != listed.end()) {
    present = *known;
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

util::Result<> prune(World& world, const ExecutionInput& input, std::vector<Json> present,
                     const std::vector<RenderedItem>& wanted, std::string_view of_template) {
  std::erase_if(present, [&](const Json& object) {
    const std::string item(resources::ObjectView(object).annotation(k_item_annotation));
    const std::string head = item.substr(0, item.find('/'));
    return std::any_of(wanted.begin(), wanted.end(),
                       [&](const RenderedItem& each) {
                         // Parts are pruned by the Templates item that they belong to, once it has
                         // been rendered.
                         return each.deploy_item.is_null()
                                    ? head == each.name
                                    : name_of(each.deploy_item) == name_of(object);
                       }) ||
           (!of_template.empty() && (head != of_template || head == item));
  });
  if (world.writer.dry()) {
    return delete_dry(world, present);
  }
  for (const ItemRun& run :
       remove_items(world, present, {.wait = input.wait, .skip_uninstall = input.skip_uninstall})) {
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

}  // namespace kubist::deployers
