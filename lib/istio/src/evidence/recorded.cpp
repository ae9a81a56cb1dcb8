#include "evidence/recorded.hpp"

#include <kubist/util/text.hpp>

namespace kubist::istio {

using resources::ObjectRef;
using util::cat;

util::Result<std::vector<apply::Owned>> read_recorded(kube::Client& client,
                                                      const apply::InventoryEntries& entries,
                                                      const std::stop_token& stop) {
  std::vector<apply::Owned> there;
  for (auto& found :
       apply::find_owned(client, apply::records_of(entries), kube::Form::object, stop)) {
    KUBIST_CHECK(found);
    if (!found->live.is_null()) {
      there.push_back(*std::move(found));
    }
  }
  return there;
}

std::string reason_to_keep(const apply::Owned& object, const Record& own,
                           const std::vector<Record>& records) {
  const auto others = also_recorded_by(records, own, object.recorded.ref);
  return others.empty() ? apply::reason_to_keep(object, own.inventory.name)
                        : cat("revision ", others.front(), " has it too");
}

apply::ObjectResult kept(const apply::Owned& object, std::string reason) {
  apply::ObjectResult result;
  result.ref = object.recorded.ref;
  result.api_version = object.recorded.api_version;
  result.uid = resources::ObjectView(object.live).uid();
  result.outcome = apply::Outcome::kept;
  result.message = std::move(reason);
  return result;
}

bool is_crd(const ObjectRef& ref) { return ref.kind == "CustomResourceDefinition"; }
bool is_namespace(const ObjectRef& ref) { return ref.group.empty() && ref.kind == "Namespace"; }

}  // namespace kubist::istio
