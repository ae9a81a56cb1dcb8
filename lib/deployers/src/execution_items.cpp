#include <algorithm>
#include <mutex>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "execution_parts.hpp"
#include "requests.hpp"

namespace kubist::deployers {

using util::cat;

std::string name_of(const Json& object) {
  return std::string(data::string_at(object, {"metadata", "name"}));
}
std::string ns_of(const Json& object) {
  return std::string(data::string_at(object, {"metadata", "namespace"}));
}

std::string item_title(const Json& deploy_item) {
  return cat(deploy_items().api_version(), " DeployItem/", ns_of(deploy_item), "/",
             name_of(deploy_item));
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

util::Result<ItemOutcome> delete_item(World& world, const Json& item,
                                      const RemoveItemOptions& options) {
  const resources::ObjectView view(item);
  const std::string ns(view.ns());
  const std::string name(view.name());
  if (view.deletion_timestamp().empty()) {
    KUBIST_CHECK(
        remove(world, {*world.home, ""}, deploy_items(), ns, name, std::string(view.uid())));
  }
  return remove_item(world, ns, name, options);
}

}  // namespace kubist::deployers
