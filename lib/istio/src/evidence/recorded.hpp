#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/apply/remove.hpp>
#include <kubist/istio/record.hpp>

namespace kubist::istio {

/// An object of a record that the cluster still has.
struct Recorded {
  resources::ObjectRef ref;
  apply::InventoryEntry entry;
  kube::ApiResource resource;
  data::Json live;
};

/// Those of these entries that are still there.
util::Result<std::vector<Recorded>> read_recorded(kube::Client& client,
                                                  const apply::InventoryEntries& entries,
                                                  const std::stop_token& stop);

/// Why an object of the record may not be deleted; empty: it may. Its label and uid must agree with
/// the record (apply::decide_prune), and no other revision may have it.
std::string reason_to_keep(const Recorded& object, const Record& own,
                           const std::vector<Record>& records);

apply::Target target_of(const Recorded& object);
/// How it looks among results that it was left alone.
apply::ObjectResult kept(const Recorded& object, std::string reason);

bool is_crd(const resources::ObjectRef& ref);
bool is_namespace(const resources::ObjectRef& ref);

}  // namespace kubist::istio
