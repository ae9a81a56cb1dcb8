#pragma once
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/engine/node.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/util/result.hpp>

namespace kubist::executors {

/// A node of the tree that keeps an object as it is, or is that object, and what is known of why.
struct Keeper {
  engine::Key node;
  std::string target;               ///< the VirtualCluster, of a node that has several
  std::string item;                 ///< the DeployItem below it that has the object; empty: none
  std::vector<engine::Key> above;   ///< from its parent to the top
  data::Json status;                ///< the node's: lastRun, policies, conditions
  std::vector<std::string> writes;  ///< those of its last run that the object is named in
  std::string written_at;  ///< when it wrote the object last, RFC 3339; empty: it is not known
};

/// Who keeps the object, by its owner mark and its field managers where it is there (`live`), and
/// by the inventories of all nodes that the caller may see. Reads only.
/// Errors are those of the requests (kube/api_error.hpp): of the read of namespace kube-system, and
/// of the lists of kubist's kinds. Projects are left out whose objects cannot be listed, where
/// others' can. So are a project's items where they cannot be listed.
util::Result<std::vector<Keeper>> keepers_of(kube::Client& home, const engine::Key& object,
                                             const data::Json* live, const std::stop_token& stop);

}  // namespace kubist::executors
