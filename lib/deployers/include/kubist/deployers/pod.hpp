#pragma once
#include <string>
#include <vector>

#include <kubist/deployers/deployer.hpp>
#include <kubist/deployers/workload.hpp>
#include <kubist/state/head.hpp>

/// A container or script item as Kubernetes objects. Pure: same input, same objects.
namespace kubist::deployers {

/// Names of what an item has where its pod runs, from its uid (and the pod's from the job too, so
/// that two kubists cannot start two).
struct PodNames {
  std::string agent;         ///< ServiceAccount, Role and RoleBinding
  std::string input_secret;  ///< what restore gives to the workload
  std::string export_secret;
  std::string state_secret;
  std::string state_claim;   ///< a PersistentVolumeClaim
  std::string token_secret;  ///< for a workload with an account of its own
  std::string pod;
};
PodNames pod_names(const Item& item, const std::string& job);

/// Names of containers.
inline constexpr std::string_view k_restore_container = "restore";
inline constexpr std::string_view k_collect_container = "collect";
inline constexpr std::string_view k_workload_container = "workload";

/// The input Secret: imports, target, script, export schema.
Json input_secret(const Item& item, const Workload& workload, const Job& job,
                  const PodNames& names);
/// An export or state Secret before its first run; only the agent of the item can write it.
Json empty_secret(const Item& item, const Job& job, const std::string& name);
/// A Secret for a chunk of state before its first use.
Json chunk_secret(const Item& item, const Job& job, const std::string& name);
/// ServiceAccount, Role and RoleBinding of the agent: get, update, patch of those two Secrets, and
/// of the chunk Secrets that state of the workload's limit may need.
std::vector<Json> agent_account(const Item& item, const Workload& workload, const Job& job,
                                const PodNames& names);
/// The pod. `given_sha256`, `head`: what restore must find (state/agent.hpp).
Json build_pod(const Item& item, const Workload& workload, const Job& job, const PodNames& names,
               const Settings& settings, const std::string& given_sha256, const state::Head& head);

}  // namespace kubist::deployers
