#include "pod/pod_deployer.hpp"

namespace kubist::deployers {

const Deployer& script_deployer() {
  static const PodDeployer deployer(true);
  return deployer;
}

}  // namespace kubist::deployers
