#include <algorithm>

#include <kubist/data/compare.hpp>
#include <kubist/data/pointer.hpp>
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

bool succeeded(const ItemRun& run) {
  return run.outcome && run.outcome->state == Progress::State::done;
}

util::Result<bool> apply_item(World& world, const ExecutionInput& input, const RenderedItem& item) {
  const Json& wanted = item.deploy_item;
  bool good = false;
  KUBIST_TRY(const auto present,
             world.home->find(deploy_items(), ns_of(wanted), name_of(wanted), world.stop));
  if (present) {
    const resources::ObjectView view(*present);
    const auto owners = view.owners();
    const auto uid = data::string_at(input.object, {"metadata", "uid"});
    const auto own = view.annotation(k_item_annotation);
    if (std::none_of(owners.begin(), owners.end(),
                     [&](const auto& owner) { return owner.uid == uid; }) ||
        (!own.empty() && own != item.name)) {
      return util::fail(util::ErrorKind::conflict,
                        cat("DeployItem ", ns_of(wanted), "/", name_of(wanted), " belongs to ",
                            own.empty() ? "somebody else" : cat("item ", own)),
                        "", "NameTaken");
    }
    good = has_succeeded(present->value("status", Json::object()));
    if (data::contains_all(*present, wanted)) {
      return good;
    }
  }
  KUBIST_CHECK(world.writer.apply({*world.home}, deploy_items(), wanted,
                                  {.live = present ? &*present : nullptr}));
  return good;
}

util::Result<> prune(World& world, const ExecutionInput& input,
                     const std::vector<RenderedItem>& wanted, std::string_view of_template) {
  KUBIST_TRY(auto present, owned_items(world, input.object));
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
