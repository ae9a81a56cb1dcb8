#include <map>

#include <kubist/executors/executor_names.hpp>

namespace kubist::executors {

std::vector<std::string> executor_names(std::string_view kind) {
  static const std::map<std::string, std::vector<std::string>, std::less<>> names{
      {"Root", {"Root", "DefaultRootPolicyExecutor"}},
      {"Project", {"Project", "DefaultProjectPolicyExecutor"}},
      {"Cluster", {"Cluster", "IstioSetupClusterPolicyExecutor"}},
      {"VirtualCluster", {"VirtualCluster", "DefaultVirtualClusterPolicyExecutor"}},
      {"Execution", {"Execution"}},
      {"DeployItem", {"DeployItem"}},
      {"Destination", {"Destination", "DefaultDestinationPolicyExecutor"}},
      {"EntryGateway", {"EntryGateway", "DefaultGatewayPolicyExecutor"}},
      {"ExternalService", {"ExternalService", "DefaultServiceEntryPolicyExecutor"}},
      {"CanaryRelease", {"CanaryRelease", "DefaultCanaryReleasePolicyExecutor"}},
      {"Experiment", {"Experiment", "DefaultExperimentPolicyExecutor"}},
      {"TrafficRoute", {"TrafficRoute", "DefaultVampServicePolicyExecutor"}},
  };
  const auto found = names.find(kind);
  return found == names.end() ? std::vector<std::string>() : found->second;
}

}  // namespace kubist::executors
