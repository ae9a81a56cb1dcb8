#include "pod/pod_deployer.hpp"

namespace kubist::deployers {

const Deployer& container_deployer() {
  static const PodDeployer deployer(false);
  return deployer;
}

}  // namespace kubist::deployers
