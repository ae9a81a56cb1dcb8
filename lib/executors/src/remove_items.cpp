#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

#include <kubist/executors/reconcile.hpp>
#include <kubist/executors/tree_view.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>

#include "item_world.hpp"
#include "work.hpp"

namespace kubist::executors {

util::Result<std::vector<ItemRemoval>> Session::remove_items(
    const std::vector<resources::ObjectRef>& items, const ReconcileOptions& options,
    const std::function<void(const std::string&)>& progress, const std::stop_token& stop) {
  const bool one_namespace =
      std::all_of(items.begin(), items.end(),
                  [&](const resources::ObjectRef& item) { return item.ns == items.front().ns; });
  KUBIST_TRY(const TreeView view,
             load_tree_view(*m_home, one_namespace ? items.front().ns : "*", stop));
  const engine::Graph graph = build_graph(view);
  ProjectLocks locks(m_home, {m_options.identity, util::random_uuid(), options.lock_timeout,
                              nullptr, nullptr});
  m_connections.begin_run();
  deployers::World world;
  world.home = m_home;
  world.settings = m_options.deployers;
  KUBIST_TRY(world.settings.foreign_crd, has_foreign_items(*m_home, stop));
  world.stop = stop;
  world.place_of = [&](const std::string& ns, const std::string& target) {
    return place_of(m_home, m_home_uid, m_connections, graph, ns, target, stop);
  };
  std::mutex mutex;  // progress is told by one thread at a time
  std::vector<ItemRemoval> removals;
  removals.reserve(items.size());
  {
    std::vector<std::jthread> threads;  // side by side: each may wait for a pod
    for (const resources::ObjectRef& item : items) {
      ItemRemoval& removal = removals.emplace_back(ItemRemoval{item, deployers::ItemOutcome{}});
      threads.emplace_back([&, own = world]() mutable {
        own.field_manager = field_manager(owner_mark(m_home_uid, item));
        own.may_write = [&] { return locks.before_write(item.ns, stop); };
        own.progress = [&, last = std::string()](const std::string& text) mutable {
          if (text != std::exchange(last, text)) {
            const std::lock_guard lock(mutex);
            progress(util::cat(item.name, ": ", text));
          }
        };
        removal.outcome = deployers::remove_item(
            own, item.ns, item.name,
            {.skip_uninstall = options.skip_uninstall, .abandon = options.abandon});
      });
    }
  }
  return removals;
}

}  // namespace kubist::executors
