#pragma once
#include <set>
#include <string>
#include <vector>

#include <kubist/apply/report.hpp>

#include "evidence/recorded.hpp"

namespace kubist::istio {

/// What a revision's record has and its manifests no longer have.
struct Stale {
  std::vector<apply::Owned> going;
  std::vector<apply::ObjectResult> kept;  ///< with the reason: label, uid, or another revision
  apply::Inventory inventory;             ///< the record
  apply::InventoryEntries remaining;      ///< of it when that is done
};

/// Compares the record with what an installation is to have. CRDs and namespaces are never stale:
/// what is in them is not ours. What istiod makes at run time is in no record.
util::Result<Stale> find_stale(kube::Client& client, const std::string& ns,
                               const std::string& revision,
                               const std::set<resources::ObjectRef>& wanted,
                               const std::stop_token& stop);

}  // namespace kubist::istio
