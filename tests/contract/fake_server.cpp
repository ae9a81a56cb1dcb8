#include "server.hpp"
#include "support/fake_cluster.hpp"

namespace contract {

const std::shared_ptr<kube::Client>& client() {
  static const auto cluster = std::make_shared<kubist::testing::FakeCluster>();
  static const auto made = cluster->connect(cluster, "contract");
  return made;
}

}  // namespace contract
