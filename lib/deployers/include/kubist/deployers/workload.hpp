#pragma once
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <kubist/deployers/item.hpp>
#include <kubist/deployers/world.hpp>
#include <kubist/util/result.hpp>

namespace kubist::deployers {

/// A volume for the state, instead of Secrets.
struct StateClaim {
  std::string existing;  ///< a claim that is there; empty: one that kubist makes, as follows
  std::string size = "1Gi";
  std::optional<std::string> storage_class;
  std::vector<std::string> access_modes{"ReadWriteOnce"};
};

/// What runs in the pod beside the agents, from the config of a container or script item.
struct Workload {
  std::string image, image_pull_policy;
  std::vector<std::string> command, args;  ///< Kubernetes' semantics; of a script: the whole call
  std::optional<std::string> script;       ///< the text that restore writes to a file
  std::string working_dir;
  bool mesh = false;
  std::size_t state_limit = 0;            ///< in Secrets, packed
  std::optional<StateClaim> state_claim;  ///< not in Secrets, but here
  std::string service_account;            ///< whose token the workload gets; empty: none
  /// Fields that go into the pod as they are; null where not given.
  Json env, env_from, resources, volumes, volume_mounts, security_context;
  Json image_pull_secrets, node_selector, tolerations;
};

/// Reads and checks the config of an item. `remove`: for its deletion (a script's deleteScript is
/// the script). Invalid, reason InvalidConfiguration: unknown or wrongly
/// typed fields (with suggestions), what items may not have (host paths, host namespaces, projected
/// tokens, an account that the project does not allow, kubist's own variables and paths).
util::Result<Workload> parse_workload(const Item& item, bool script, const Settings& settings,
                                      bool remove = false);

/// A Secret of the pod's namespace that the workload names.
struct SecretUse {
  std::string name;
  std::string key;  ///< empty: all of it
  bool optional = false;
  std::string field;  ///< where it is named: "volumes[0].secret"
};
std::vector<SecretUse> secrets_used(const Workload& workload);

/// The workload as it is while these Secrets, which it names as optional, are not there: the pod
/// does not name them, and gets none of them later either.
Workload without_secrets(Workload workload, const std::set<std::string>& absent);

}  // namespace kubist::deployers
