#include <kubist/data/pointer.hpp>
#include <kubist/kube/namespaces.hpp>

namespace kubist::kube {

bool takes_no_objects(Client& client, const std::string& ns, const std::stop_token& stop) {
  const auto live = client.find(well_known::namespaces(), "", ns, stop);
  return live && (!*live || !data::string_at(**live, {"metadata", "deletionTimestamp"}).empty());
}

util::Result<std::string> cluster_uid(Client& client, const std::stop_token& stop) {
  KUBIST_TRY(const data::Json system,
             client.json(get(well_known::namespaces(), "", "kube-system"), stop));
  return std::string(data::string_at(system, {"metadata", "uid"}));
}

}  // namespace kubist::kube
