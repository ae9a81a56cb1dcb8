#include "run/upstream_container.hpp"

#include <array>

#include <kubist/util/text.hpp>

#include "item/config_check.hpp"
#include "pod/pod_deployer.hpp"

namespace kubist::deployers {
namespace {

struct Foreign {
  const char* field;
  const char* hint;
};

/// Fields of container.deployer.landscaper.gardener.cloud/v1alpha1 that need what kubist does not
/// have: component descriptors, Contexts, timers in the item.
constexpr std::array k_foreign{
    Foreign{"blueprint", "Put what the image needs into the image, or import it."},
    Foreign{"componentDescriptor", "Name the image itself, and import other values."},
    Foreign{"registryPullSecrets",
            "Use imagePullSecrets: names of Secrets in the namespace that the pod runs in."},
    Foreign{"continuousReconcile", "Run kubist reconcile --watch, or kubist reconcile by a timer."},
};

/// The container deployer under landscaper's own type name.
class UpstreamContainer : public PodDeployer {
 public:
  UpstreamContainer() : PodDeployer(false) {}

  util::Result<> check(const Item& item, const Settings& settings) const override {
    for (const Foreign& foreign : k_foreign) {
      if (item.config.contains(foreign.field)) {
        return util::fail(config_error(
            util::cat("config.", foreign.field, " is not supported by kubist"), foreign.hint));
      }
    }
    return PodDeployer::check(item, settings);
  }
};

}  // namespace

const Deployer& upstream_container_deployer() {
  static const UpstreamContainer deployer;
  return deployer;
}

}  // namespace kubist::deployers
