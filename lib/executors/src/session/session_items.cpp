#include <algorithm>
#include <mutex>
#include <utility>

#include <kubist/executors/session.hpp>
#include <kubist/executors/tree_view.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "keep/item_world.hpp"
#include "keep/sites.hpp"
#include "world/work.hpp"

namespace kubist::executors {

using deployers::ItemOutcome;

util::Result<std::vector<ItemResult>> Session::each_item(
    const std::vector<resources::ObjectRef>& items, const ReconcileOptions& options,
    const std::function<void(const std::string&)>& progress, const std::stop_token& stop,
    const ItemCall& call) {
  const bool one_namespace =
      std::all_of(items.begin(), items.end(),
                  [&](const resources::ObjectRef& item) { return item.ns == items.front().ns; });
  KUBIST_TRY(const TreeView view,
             load_tree_view(*m_home, one_namespace ? items.front().ns : "*", stop));
  const engine::Graph graph = build_graph(view);
  ProjectLocks locks(m_home, {m_options.identity, new_run_id(), options.lock_timeout, nullptr,
                              nullptr, m_options.clock, m_options.sleep});
  begin_run(options.own_rights, kube::DryRun::none);
  deployers::World world;
  world.home = m_home;
  world.settings = item_settings(m_options.deployers, graph);
  KUBIST_TRY(world.settings.foreign_crd, has_foreign_items(*m_home, stop));
  world.stop = stop;
  world.place_of = [&](const std::string& ns, const std::string& target) {
    return m_sites->for_items(graph, ns, target, stop);
  };
  std::mutex mutex;  // progress is told by one thread at a time
  std::vector<ItemResult> results;
  results.reserve(items.size());
  for (const resources::ObjectRef& item : items) {
    results.push_back({item, ItemOutcome{}});
  }
  // Side by side: each may wait for a pod.
  util::for_each_index(items.size(), items.size(), [&](std::size_t i) {
    const resources::ObjectRef& item = items[i];
    if (const auto hidden = view.hidden.find(item.ns); hidden != view.hidden.end()) {
      results[i].outcome = util::fail(hidden->second);
      return;
    }
    deployers::World own = world;
    kube::Writer::Rules rules = locks.rules(item.ns, stop);
    rules.field_manager = field_manager(owner_mark(m_home_uid, item));
    own.writer = kube::Writer(std::move(rules));
    own.progress = [&, last = std::string()](const std::string& text) mutable {
      if (text != std::exchange(last, text)) {
        const std::lock_guard lock(mutex);
        progress(util::cat(item.name, ": ", text));
      }
    };
    results[i].outcome = util::guarded([&] { return call(own, item); });
  });
  for (const std::string& line : m_accounts->warnings()) {
    progress(util::cat("warning: ", line));
  }
  return results;
}

util::Result<std::vector<ItemResult>> Session::remove_items(
    const std::vector<resources::ObjectRef>& items, const ReconcileOptions& options,
    const std::function<void(const std::string&)>& progress, const std::stop_token& stop) {
  return each_item(items, options, progress, stop,
                   [&](deployers::World& world, const resources::ObjectRef& item) {
                     return deployers::remove_item(
                         world, item.ns, item.name,
                         {.skip_uninstall = options.skip_uninstall, .abandon = options.abandon});
                   });
}

util::Result<std::vector<ItemResult>> Session::run_items(
    const std::vector<resources::ObjectRef>& items, const ReconcileOptions& options,
    const std::function<void(const std::string&)>& progress, const std::stop_token& stop) {
  return each_item(items, options, progress, stop,
                   [&](deployers::World& world, const resources::ObjectRef& item) {
                     return deployers::run_item(world, item.ns, item.name,
                                                {.force = options.force});
                   });
}

util::Result<std::vector<ItemResult>> Session::interrupt_items(
    const std::vector<resources::ObjectRef>& items,
    const std::function<void(const std::string&)>& progress, const std::stop_token& stop) {
  return each_item(
      items, {}, progress, stop, [](deployers::World& world, const resources::ObjectRef& item) {
        // The lock is held by whoever runs it.
        world.writer = kube::Writer({.field_manager = world.writer.rules().field_manager});
        return deployers::interrupt_item(world, item.ns, item.name);
      });
}

}  // namespace kubist::executors
