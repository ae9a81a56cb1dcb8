#include <set>

#include <kubist/executors/executor_names.hpp>
#include <kubist/executors/registry.hpp>

#include "functions/function_executor.hpp"
#include "keep/kinds.hpp"

namespace kubist::executors {

namespace {

struct Row {
  const char* kind;
  std::shared_ptr<ManagedExecutor> (*make)(World&);
};

constexpr Row k_rows[] = {
    {"Root", make_root_executor},
    {"Project", make_project_executor},
    {"Cluster", make_cluster_executor},
    {"VirtualCluster", make_virtual_cluster_executor},
    {"Execution", make_execution_executor},
    {"Destination", make_destination_executor},
    {"EntryGateway", make_entry_gateway_executor},
    {"ExternalService", make_external_service_executor},
    {"CanaryRelease", make_canary_release_executor},
    {"Experiment", make_experiment_executor},
    {"TrafficRoute", make_traffic_route_executor},
};

}  // namespace

engine::ExecutorSet make_executors(World& world, const std::vector<resources::ServedKind>& served) {
  engine::ExecutorSet set;
  BuiltIns built_ins;
  for (const Row& row : k_rows) {
    auto aliases = executor_names(row.kind);
    aliases.erase(aliases.begin());
    const auto built_in = built_ins.emplace(row.kind, row.make(world)).first->second;
    set.add(row.kind, built_in, {row.kind}, {row.kind}, aliases);
  }
  set.add("DeployItem", make_deploy_item_executor(world), {"DeployItem"}, {"DeployItem"});
  std::set<std::string> defaults;
  for (const auto& [name, function] : world.functions) {
    std::vector<std::string> kinds(k_function_kinds.begin(), k_function_kinds.end());
    std::vector<std::string> default_for;
    for (const resources::ServedKind& each : served) {
      if (each.by == name && defaults.emplace(each.kind).second) {
        default_for.push_back(each.kind);
        kinds.push_back(each.kind);
      }
    }
    set.add(name, make_function_executor(world, function, built_ins),
            function ? function->kinds : kinds, default_for);
  }
  return set;
}

}  // namespace kubist::executors
