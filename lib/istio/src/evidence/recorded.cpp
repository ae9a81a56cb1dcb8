#include "evidence/recorded.hpp"

#include <kubist/apply/read.hpp>
#include <kubist/util/text.hpp>

namespace kubist::istio {

using resources::ObjectRef;
using resources::ObjectView;
using util::cat;

util::Result<std::vector<Recorded>> read_recorded(kube::Client& client,
                                                  const apply::InventoryEntries& entries,
                                                  const std::stop_token& stop) {
  std::vector<Recorded> found;
  std::vector<apply::Lookup> lookups;
  for (const auto& [ref, entry] : entries) {
    const auto resource = client.discovery().find_kind(entry.api_version, ref.kind, stop);
    if (!resource && resource.error().kind == util::ErrorKind::not_found) {
      continue;  // gone with its CRD
    }
    if (!resource) {
      return util::fail(resource.error());
    }
    found.push_back({ref, entry, *resource, nullptr});
    lookups.push_back({*resource, ref.ns, ref.name});
  }
  KUBIST_TRY(auto objects, apply::read_objects(client, lookups, stop));
  for (std::size_t at = 0; at < objects.size(); ++at) {
    if (objects[at]) {
      found[at].live = std::move(*objects[at]);
    }
  }
  std::erase_if(found, [](const Recorded& each) { return each.live.is_null(); });
  return found;
}

std::string reason_to_keep(const Recorded& object, const Record& own,
                           const std::vector<Record>& records) {
  if (const auto others = also_recorded_by(records, own, object.ref); !others.empty()) {
    return cat("revision ", others.front(), " has it too");
  }
  return apply::decide_prune(object.entry, apply::applyset_id(own.inventory.name), &object.live)
      .reason;
}

apply::Target target_of(const Recorded& object) {
  return {object.resource,
          object.ref.ns,
          object.ref.name,
          std::string(ObjectView(object.live).uid()),
          {}};
}

apply::ObjectResult kept(const Recorded& object, std::string reason) {
  apply::ObjectResult result;
  result.ref = object.ref;
  result.api_version = object.entry.api_version;
  result.uid = ObjectView(object.live).uid();
  result.outcome = apply::Outcome::kept;
  result.message = std::move(reason);
  return result;
}

bool is_crd(const ObjectRef& ref) { return ref.kind == "CustomResourceDefinition"; }
bool is_namespace(const ObjectRef& ref) { return ref.group.empty() && ref.kind == "Namespace"; }

}  // namespace kubist::istio
