#include "../istio_install.hpp"
#include "commands.hpp"

namespace kubist::cli {

CommandSpec istio_upgrade_command() {
  return {
      .path = "istio upgrade",
      .group = "Istio",
      .summary = "Bring Istio to another version in place, one minor version at a time",
      .details =
          "Does what 'istio install' does with the manifests of PATH, where their revision is "
          "installed already: CRDs first, then istiod, its webhooks, the CNI plugin, ztunnel and "
          "gateways. Each stage begins when the one before is ready. Then what the old manifests "
          "had and "
          "the new ones have not is deleted, but for CustomResourceDefinitions.\n\n"
          "Before the first write it refuses: more than one minor version up or down, CRDs without "
          "a version in which objects may be stored, and selectors or roles that Kubernetes lets "
          "nobody change. To jump further, install a new revision beside the old one.",
      .arguments = k_bundle_words,
      .max_words = -1,
      .completes = Completes::files,
      .flags = install_flags(),
      .examples = {{"Go to the next version",
                    "istioctl manifest generate > istio.yaml && kubist istio diff istio.yaml; "
                    "kubist istio upgrade istio.yaml"}},
      .run = [](Context& context, const Arguments& arguments) {
        return run_install(context, arguments, true);
      }};
}

}  // namespace kubist::cli
