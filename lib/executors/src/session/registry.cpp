#include <set>

#include <kubist/executors/registry.hpp>

#include "functions/function_executor.hpp"
#include "keep/kinds.hpp"

namespace kubist::executors {

namespace {

struct Row {
  const char* name;
  const char* kind;
  std::shared_ptr<engine::Executor> (*make)(World&);
  std::vector<std::string> aliases;  ///< Vamp Kubist's names, for files that carry them
};

const std::vector<Row>& table() {
  static const std::vector<Row> rows{
      {"Root", "Root", make_root_executor, {"DefaultRootPolicyExecutor"}},
      {"Project", "Project", make_project_executor, {"DefaultProjectPolicyExecutor"}},
      {"Cluster", "Cluster", make_cluster_executor, {"IstioSetupClusterPolicyExecutor"}},
      {"VirtualCluster",
       "VirtualCluster",
       make_virtual_cluster_executor,
       {"DefaultVirtualClusterPolicyExecutor"}},
      {"Execution", "Execution", make_execution_executor, {}},
      {"DeployItem", "DeployItem", make_deploy_item_executor, {}},
      {"Destination",
       "Destination",
       make_destination_executor,
       {"DefaultDestinationPolicyExecutor"}},
      {"EntryGateway",
       "EntryGateway",
       make_entry_gateway_executor,
       {"DefaultGatewayPolicyExecutor"}},
      {"ExternalService",
       "ExternalService",
       make_external_service_executor,
       {"DefaultServiceEntryPolicyExecutor"}},
      {"CanaryRelease",
       "CanaryRelease",
       make_canary_release_executor,
       {"DefaultCanaryReleasePolicyExecutor"}},
      {"Experiment", "Experiment", make_experiment_executor, {"DefaultExperimentPolicyExecutor"}},
      {"TrafficRoute",
       "TrafficRoute",
       make_traffic_route_executor,
       {"DefaultVampServicePolicyExecutor"}},
  };
  return rows;
}

}  // namespace

engine::ExecutorSet make_executors(
    World& world, const std::map<std::string, util::Result<ExecutorFunction>>& functions,
    const std::vector<resources::ServedKind>& served) {
  engine::ExecutorSet set;
  for (const Row& row : table()) {
    set.add(row.name, row.make(world), {row.kind}, {row.kind}, row.aliases);
  }
  std::set<std::string> defaults;
  for (const auto& [name, function] : functions) {
    std::vector<std::string> kinds(k_function_kinds.begin(), k_function_kinds.end());
    std::vector<std::string> default_for;
    for (const resources::ServedKind& each : served) {
      if (each.by == name && defaults.emplace(each.kind).second) {
        default_for.push_back(each.kind);
        kinds.push_back(each.kind);
      }
    }
    set.add(name, make_function_executor(world, function), function ? function->kinds : kinds,
            default_for);
  }
  return set;
}

std::vector<std::string> executor_names(std::string_view kind) {
  std::vector<std::string> names;
  for (const Row& row : table()) {
    if (kind == row.kind) {
      names.emplace_back(row.name);
      names.insert(names.end(), row.aliases.begin(), row.aliases.end());
    }
  }
  return names;
}

}  // namespace kubist::executors
