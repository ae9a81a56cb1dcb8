#include <kubist/executors/session.hpp>
#include <kubist/executors/tree_view.hpp>
#include <kubist/util/clock.hpp>

#include "policies/container_runtime.hpp"
#include "releases/releases.hpp"
#include "world/survey.hpp"

namespace kubist::executors {

util::Result<std::shared_ptr<const engine::Graph>> Session::tree(const ReconcileOptions& options,
                                                                 const std::stop_token& stop) {
  KUBIST_TRY(TreeView view, load_tree_view(*m_home, one_or_all(options.only_namespace), stop,
                                           options.source, options.outside));
  mark_going(*m_home, false, view.snapshot, stop);
  return std::make_shared<const engine::Graph>(build_graph(view));
}

util::Result<PolicyLook> Session::trace_policies(const engine::Key& key,
                                                 const std::stop_token& stop) {
  KUBIST_TRY(const auto namespaces, namespaces_of(*m_home, {key}, stop));
  KUBIST_TRY(const TreeView view, load_tree_view(*m_home, namespaces, stop));
  PolicyLook look{build_graph(view), {}, {}};
  KUBIST_TRY(look.nodes, look.graph.require(key));
  const engine::RunInfo info{.id = new_run_id(), .started_at = m_options.clock->now(), .dry = true};
  ProjectLocks locks(m_home, lock_options(info.id));
  begin_run(false, kube::DryRun::none);
  Survey survey(look.graph, look.nodes, *m_home);
  ReconcileOptions options;
  options.dry_run = kube::DryRun::client;
  World world = make_world(locks, survey, options, stop);
  Releases releases(world, look.graph, stop);
  const auto containers = make_container_runtime(&world);
  look.verdicts = engine::run_policies(look.graph, look.nodes,
                                       m_catalog.build(view.snapshot.definitions, containers),
                                       releases, info, info.started_at, stop, {.keep_trace = true});
  return look;
}

}  // namespace kubist::executors
