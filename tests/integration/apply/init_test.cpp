#include "apply_support.hpp"

using namespace kubist;
using namespace kubist::testing;

namespace {

/// The second target cluster is an API server of its own, where kinds may come and go.
class Target {
 public:
  Target() : m_kubeconfig(cluster_tool("kubeconfig", "target2")) {
    // Whatever a run that was killed has left.
    static_cast<void>(own({"uninstall", "--force"}));
    static_cast<void>(
        ctl({"delete", "crd", "--ignore-not-found", "deployitems.landscaper.gardener.cloud"}));
  }
  ~Target() {
    static_cast<void>(own({"uninstall", "--force"}));
    static_cast<void>(
        ctl({"delete", "crd", "--ignore-not-found", "deployitems.landscaper.gardener.cloud"}));
  }
  util::CommandResult own(std::vector<std::string> args) const {
    args.insert(args.end(), {"--kubeconfig", m_kubeconfig});
    return run_kubist(std::move(args));
  }
  util::CommandResult ctl(std::vector<std::string> args, const std::string& input = {}) const {
    args.insert(args.begin(), {"--kubeconfig", m_kubeconfig});
    return run_kubectl(std::move(args), input);
  }

 private:
  std::string m_kubeconfig;
};

}  // namespace

TEST_CASE("init: leaves a newer kubist's kinds and a foreign DeployItem alone") {
  const Target target;
  const std::string foreign =
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
      "metadata: {name: deployitems.landscaper.gardener.cloud}\nspec:\n"
      "  group: landscaper.gardener.cloud\n  scope: Namespaced\n"
      "  names: {kind: DeployItem, plural: deployitems}\n  versions:\n"
      "    - {name: v1alpha1, served: true, storage: true, schema: {openAPIV3Schema: {type: "
      "object}}}\n";
  REQUIRE(target.ctl({"apply", "-f", "-"}, foreign).exit_code == 0);
  const auto first = target.own({"init"});
  CHECK(first.exit_code == 0);
  CHECK(first.out.find("deployitems.landscaper.gardener.cloud kept: somebody else") !=
        std::string::npos);
  target.ctl({"annotate", "--overwrite", "crd", "projects.kubist.io", "kubist.io/version=99.0.0"});
  target.ctl({"annotate", "--overwrite", "crd", "roots.kubist.io", "kubist.io/version=0.0.1"});
  const auto second = target.own({"init"});
  CHECK(second.out.find("projects.kubist.io kept: a newer kubist (99.0.0)") != std::string::npos);
  CHECK(second.out.find("roots.kubist.io configured") != std::string::npos);
  CHECK(target.own({"uninstall"}).out.find("deployitems.landscaper.gardener.cloud kept") !=
        std::string::npos);
}
