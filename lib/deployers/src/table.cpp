#include <array>

#include <kubist/deployers/deployer.hpp>

#include "helm_deployer.hpp"
#include "manifest_deployer.hpp"
#include "mock_deployer.hpp"
#include "pod_deployer.hpp"

namespace kubist::deployers {
namespace {

struct Row {
  std::string_view type;
  bool ours;  ///< the name is kubist's own, so it is claimed in any case
  const Deployer& (*deployer)();
};

/// Adding a deployer adds its names: kubist's, that of the first design of DeployItems,
/// landscaper's.
constexpr std::array k_table{
    Row{"kubist.io/container", true, container_deployer},
    Row{"container", false, container_deployer},
    Row{"landscaper.gardener.cloud/container", false, upstream_container_deployer},
    Row{"kubist.io/script", true, script_deployer},
    Row{"script", false, script_deployer},
    Row{"kubist.io/manifest", true, manifest_deployer},
    Row{"manifest", false, manifest_deployer},
    Row{"landscaper.gardener.cloud/kubernetes-manifest", false, manifest_deployer},
    Row{"kubist.io/helm", true, helm_deployer},
    Row{"helm", false, helm_deployer},
    Row{"landscaper.gardener.cloud/helm", false, helm_deployer},
    Row{"kubist.io/mock", true, mock_deployer},
    Row{"mock", false, mock_deployer},
    Row{"landscaper.gardener.cloud/mock", false, mock_deployer},
};

}  // namespace

const Deployer* find_deployer(std::string_view type, const Settings& settings) {
  for (const Row& row : k_table) {
    if (type == row.type && (row.ours || !settings.foreign_crd)) {
      return &row.deployer();
    }
  }
  return nullptr;
}

std::vector<std::string> deployer_types() {
  std::vector<std::string> types;
  for (const Row& row : k_table) {
    if (row.ours) {
      types.emplace_back(row.type);
    }
  }
  return types;
}

}  // namespace kubist::deployers
