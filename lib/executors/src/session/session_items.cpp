#include <algorithm>
#include <mutex>
#include <utility>

#include <kubist/data/pointer.hpp>
#include <kubist/deployers/execution.hpp>
#include <kubist/deployers/handshake.hpp>
#include <kubist/engine/made_items.hpp>
#include <kubist/executors/session.hpp>
#include <kubist/executors/status_store.hpp>
#include <kubist/executors/tree_view.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "keep/item_world.hpp"
#include "keep/sites.hpp"
#include "session/replica_requests.hpp"
#include "world/work.hpp"

namespace kubist::executors {

using deployers::ItemOutcome;
using deployers::Progress;

/// What is done with an item here, and where its project is a replica's.
struct Session::ItemCall {
  using Item = resources::ObjectRef;
  std::function<util::Result<ItemOutcome>(deployers::World&, const Item&)> here;
  std::function<util::Result<ItemOutcome>(deployers::World&, ReplicaRequests&, const Item&)>
      by_replica;                    ///< null: it is done here all the same
  bool leaves_policies_out = false;  ///< so not for items that have some

  util::Result<ItemOutcome> run(deployers::World& world, ReplicaRequests& replicas,
                                const Item& item) const {
    for (int tries = 1;; ++tries) {
      auto outcome = here(world, item);
      if (outcome || outcome.error().reason != k_of_replica || !by_replica) {
        return outcome;
      }
      outcome = by_replica(world, replicas, item);
      if (outcome || outcome.error().reason != k_plan_changed) {
        return outcome;
      }
      KUBIST_CHECK(replicas.pause(
          tries,
          util::cat(resources::to_string(item), " was a replica's, and then none's to ask (",
                    outcome.error().message, ')'),
          world.stop));
    }
  }
};

namespace {

/// One of an Execution is no node: its Execution runs it, after what is imposed on it.
util::Result<> check_execution(const engine::Graph& graph, const resources::ObjectRef& item,
                               kube::Client& home, const std::stop_token& stop) {
  const engine::Node* project = graph.project_of(item.ns);
  const engine::Node* imposer =
      project == nullptr ? nullptr : engine::imposer_on_items(graph, project->id);
  if (imposer == nullptr || !graph.find(item).empty()) {
    return {};
  }
  KUBIST_TRY(const auto live, home.find(deployers::deploy_items(), item.ns, item.name, stop));
  if (!live) {
    return {};
  }
  const auto execution = data::string_at(resources::ObjectView(*live).labels(),
                                         {deployers::k_execution_label}, "NAME");
  return util::fail(util::make_error(
      util::ErrorKind::denied,
      util::cat(resources::to_string(item), " is of an Execution, and ",
                engine::to_string(*imposer), " imposes policies on what that makes"),
      util::cat("Run it with them: kubist reconcile execution/", execution, " -n ", item.ns, "."),
      "HasPolicies"));
}

/// A run by itself knows nothing of policies, its own or imposed ones.
util::Result<> check_policies(const engine::Graph& graph, const resources::ObjectRef& item) {
  for (const engine::NodeId id : graph.find(item)) {
    if (!graph[id].policies.empty()) {
      return util::fail(util::ErrorKind::denied,
                        util::cat(resources::to_string(item), " has policies, as ",
                                  graph[id].policies.front().name),
                        util::cat("Run it with them: kubist reconcile deployitem/", item.name,
                                  " -n ", item.ns, "."),
                        "HasPolicies");
    }
  }
  return {};
}

}  // namespace

util::Result<std::vector<ItemResult>> Session::each_item(
    const std::vector<resources::ObjectRef>& items, const ReconcileOptions& options,
    const std::function<void(const std::string&)>& progress, const std::stop_token& stop,
    const ItemCall& call) {
  KUBIST_TRY(const auto namespaces, namespaces_of(*m_home, items, stop));
  KUBIST_TRY(const TreeView view, load_tree_view(*m_home, namespaces, stop));
  const engine::Graph graph = build_graph(view);
  const std::string run_id = new_run_id();
  ProjectLocks::Options locking = lock_options(run_id);
  locking.timeout = options.lock_timeout;
  locking.take_over = options.beside == Beside::take_over;
  if (options.beside == Beside::hand_over) {
    locking.on_replica = [](const std::string&) {};
  }
  ProjectLocks locks(m_home, std::move(locking));
  ReplicaRequests replicas(*m_home, locks, {run_id, m_options.sleep});
  begin_run(options.own_rights, kube::DryRun::none);
  deployers::World world;
  world.home = m_home;
  world.settings = item_settings(m_options.deployers, graph);
  KUBIST_TRY(world.settings.foreign_crd, has_foreign_items(*m_home, stop));
  world.stop = stop;
  world.place_of = [&](const std::string& ns, const std::string& target) {
    return m_sites->for_items(graph, ns, target, stop);
  };
  world.shown = [&](const std::string& text) { return m_accounts->shown(text, stop); };
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
    results[i].outcome = util::guarded([&]() -> util::Result<ItemOutcome> {
      if (call.leaves_policies_out) {
        KUBIST_CHECK(check_policies(graph, item));
        KUBIST_CHECK(check_execution(graph, item, *m_home, stop));
      }
      if (graph.project_of(item.ns) == nullptr) {
        KUBIST_TRY(const auto live,
                   m_home->find(deployers::deploy_items(), item.ns, item.name, stop));
        KUBIST_CHECK(live ? act_outside(own, *m_sites, graph, *live,
                                        ProjectAccounts::Fallback::own_rights, stop)
                          : util::Result<>());
      }
      return call.run(own, replicas, item);
    });
  });
  for (const std::string& line : m_accounts->warnings()) {
    progress(util::cat("warning: ", line));
  }
  return results;
}

namespace {

ReplicaObject object_of(const resources::ObjectRef& item) {
  return {item, deployers::deploy_items().api_version(), item.ns};
}

util::Error is_gone(const resources::ObjectRef& item) {
  return util::make_error(util::ErrorKind::not_found,
                          util::cat(resources::to_string(item), " is gone"));
}

bool is_pending(const ItemOutcome& outcome) { return outcome.state == Progress::State::running; }

/// A request runs an item in any state: it is asked for where that is wished, or it has failed.
util::Result<ItemOutcome> have_it_run(deployers::World& world, ReplicaRequests& replicas,
                                      const resources::ObjectRef& item, bool force) {
  const ReplicaObject what = object_of(item);
  KUBIST_TRY(const auto live, replicas.read(what, world.stop));
  if (!live) {
    return util::fail(is_gone(item));
  }
  const ItemOutcome before = deployers::outcome_of_item(*live);
  std::string request;
  if (force || before.state == Progress::State::failed) {
    KUBIST_TRY(request, replicas.ask(what, world.stop));
    world.progress(util::cat("asked the replica that has it (", request, ')'));
  }
  KUBIST_TRY(const auto object, replicas.wait(
                                    what,
                                    [&](const data::Json& now) {
                                      return (request.empty() || is_answered(now, request)) &&
                                             !is_pending(deployers::outcome_of_item(now));
                                    },
                                    world.stop));
  if (!object) {
    return util::fail(is_gone(item));
  }
  ItemOutcome outcome = deployers::outcome_of_item(*object);
  outcome.ran = !request.empty() || is_pending(before);
  return outcome;
}

/// Its deletion was requested.
util::Result<ItemOutcome> have_it_removed(deployers::World& world, ReplicaRequests& replicas,
                                          const resources::ObjectRef& item) {
  world.progress("its replica takes it away");
  const auto has_failed = [](const data::Json& now) {
    return deployers::outcome_of_item(now).phase == deployers::phase::k_delete_failed;
  };
  KUBIST_TRY(const auto object, replicas.wait(object_of(item), has_failed, world.stop));
  return object ? deployers::outcome_of_item(*object) : ItemOutcome{.ran = true};
}

}  // namespace

util::Result<std::vector<ItemResult>> Session::remove_items(
    const std::vector<resources::ObjectRef>& items, const ReconcileOptions& options,
    const std::function<void(const std::string&)>& progress, const std::stop_token& stop) {
  return each_item(items, options, progress, stop,
                   {.here =
                        [&](deployers::World& world, const resources::ObjectRef& item) {
                          return deployers::remove_item(world, item.ns, item.name,
                                                        {.skip_uninstall = options.skip_uninstall,
                                                         .abandon = options.abandon});
                        },
                    .by_replica = have_it_removed});
}

util::Result<std::vector<ItemResult>> Session::run_items(
    const std::vector<resources::ObjectRef>& items, const ReconcileOptions& options,
    const std::function<void(const std::string&)>& progress, const std::stop_token& stop) {
  return each_item(items, options, progress, stop,
                   {.here =
                        [&](deployers::World& world, const resources::ObjectRef& item) {
                          return deployers::run_item(world, item.ns, item.name,
                                                     {.force = options.force});
                        },
                    .by_replica =
                        [&](deployers::World& world, ReplicaRequests& replicas,
                            const resources::ObjectRef& item) {
                          return have_it_run(world, replicas, item, options.force);
                        },
                    .leaves_policies_out = true});
}

deployers::World Session::state_world(bool own_rights, std::function<void(const std::string&)> warn,
                                      const std::stop_token& stop) {
  begin_run(own_rights, kube::DryRun::none);
  deployers::World world;
  world.home = m_home;
  world.settings = m_options.deployers;
  world.stop = stop;
  world.place_of = [this, warn = std::move(warn), stop, graph = std::shared_ptr<engine::Graph>()](
                       const std::string& ns,
                       const std::string& target) mutable -> util::Result<deployers::Place> {
    if (target.empty()) {
      return deployers::Place{m_home, ns, ""};
    }
    KUBIST_TRY(const TreeView view, load_tree_view(*m_home, {ns}, stop));
    if (const auto hidden = view.hidden.find(ns); hidden != view.hidden.end()) {
      return util::fail(hidden->second);
    }
    graph = std::make_shared<engine::Graph>(build_graph(view));  // the place asks it later
    auto place = m_sites->for_items(*graph, ns, target, stop);
    for (const std::string& line : m_accounts->warnings()) {
      warn(line);
    }
    return place;
  };
  return world;
}

util::Result<std::vector<ItemResult>> Session::interrupt_items(
    const std::vector<resources::ObjectRef>& items,
    const std::function<void(const std::string&)>& progress, const std::stop_token& stop) {
  return each_item(items, {}, progress, stop,
                   {.here =
                        [](deployers::World& world, const resources::ObjectRef& item) {
                          // The lock is held by whoever runs it.
                          world.writer =
                              kube::Writer({.field_manager = world.writer.rules().field_manager});
                          return deployers::interrupt_item(world, item.ns, item.name);
                        },
                    .by_replica = nullptr});
}

}  // namespace kubist::executors
