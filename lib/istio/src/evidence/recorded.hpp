#pragma once
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/apply/owned.hpp>
#include <kubist/istio/record.hpp>

namespace kubist::istio {

/// Those of these entries that are still there. An error where one could not be looked for.
util::Result<std::vector<apply::Owned>> read_recorded(kube::Client& client,
                                                      const apply::InventoryEntries& entries,
                                                      const std::stop_token& stop);

/// Why an object of the record may not be deleted; empty: it may. apply::reason_to_keep() has none,
/// and no other revision has it.
std::string reason_to_keep(const apply::Owned& object, const Record& own,
                           const std::vector<Record>& records);

/// Its line among results: it was kept.
apply::ObjectResult kept(const apply::Owned& object, std::string reason);

bool is_crd(const resources::ObjectRef& ref);
bool is_namespace(const resources::ObjectRef& ref);

}  // namespace kubist::istio
