#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/apply/inventory.hpp>
#include <kubist/kube/client.hpp>

/// What install() remembers in the cluster of what it applied.
namespace kubist::istio {

/// The list of one revision's objects, ConfigMap kubist-istio[-REV] in the namespace of its istiod.
struct Record {
  std::string ns, revision;
  apply::Inventory inventory;
};

apply::InventoryName inventory_name(std::string_view ns, std::string_view revision);
/// ConfigMap kubist-install[-REV], which install_record() makes (bundle.hpp).
std::string install_record_name(std::string_view revision);

/// What that ConfigMap says: the installation that was last brought to its end.
struct Installed {
  std::string version, sha256;
};
/// Nothing: none was.
util::Result<std::optional<Installed>> read_installed(kube::Client& client, std::string_view ns,
                                                      std::string_view revision,
                                                      const std::stop_token& stop = {});

/// All records of the cluster, but none in namespaces of Projects and VirtualClusters. Errors: of
/// listing ConfigMaps, of their namespaces, and of apply::read_inventory.
util::Result<std::vector<Record>> read_records(kube::Client& client,
                                               const std::stop_token& stop = {});

/// The one of that revision, and of that namespace where one is given; null: there is none.
/// Invalid: there are several.
util::Result<const Record*> find_record(const std::vector<Record>& records, std::string_view ns,
                                        std::string_view revision);

/// The revisions other than `own` whose records have that object too.
std::vector<std::string> also_recorded_by(const std::vector<Record>& records, const Record& own,
                                          const resources::ObjectRef& ref);

}  // namespace kubist::istio
