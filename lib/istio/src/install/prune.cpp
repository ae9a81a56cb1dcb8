#include "install/prune.hpp"

namespace kubist::istio {

util::Result<Stale> find_stale(kube::Client& client, const std::string& ns,
                               const std::string& revision,
                               const std::set<resources::ObjectRef>& wanted,
                               const std::stop_token& stop) {
  Stale stale;
  KUBIST_TRY(const auto records, read_records(client, stop));
  KUBIST_TRY(const Record* own, find_record(records, ns, revision));
  if (own == nullptr) {
    return stale;
  }
  stale.inventory = own->inventory;
  apply::InventoryEntries gone;
  for (const auto& [ref, entry] : own->inventory.entries) {
    const bool stays = wanted.contains(ref) || is_crd(ref) || is_namespace(ref);
    (stays ? stale.remaining : gone)[ref] = entry;
  }
  KUBIST_TRY(auto recorded, read_recorded(client, gone, stop));
  for (apply::Owned& each : recorded) {
    if (std::string reason = reason_to_keep(each, *own, records); !reason.empty()) {
      stale.kept.push_back(kept(each, std::move(reason)));
    } else {
      stale.going.push_back(std::move(each));
    }
  }
  return stale;
}

}  // namespace kubist::istio
