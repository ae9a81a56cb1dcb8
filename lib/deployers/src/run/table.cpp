#include <array>

#include <kubist/deployers/deployer.hpp>
#include <kubist/util/text.hpp>

#include "helm/helm_deployer.hpp"
#include "manifest/manifest_deployer.hpp"
#include "manifest/mock_deployer.hpp"
#include "pod/pod_deployer.hpp"
#include "run/upstream_container.hpp"

namespace kubist::deployers {
namespace {

struct Row {
  std::string_view type;
  bool ours;  ///< kubist's own name, always claimed; of the others the letters' case is free
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
    if (row.ours ? type == row.type : !settings.foreign_crd && util::iequals(type, row.type)) {
      return &row.deployer();
    }
  }
  return nullptr;
}

}  // namespace kubist::deployers
