#include "../istio_install.hpp"

#include "commands.hpp"

namespace kubist::cli {

CommandSpec istio_install_command() {
  return {
      .path = "istio install",
      .group = "Istio",
      .summary = "Install Istio from its manifests, in order, and prove that it works",
      .details =
          "PATH is a file, a folder of files, a gzipped tar archive of files, or the URL of a file "
          "or archive (with --sha256). It has what 'istioctl manifest generate' or 'helm template' "
          "prints: one revision, whole, and nothing but Istio. With --render they are what IMAGE "
          "prints in a Job of the cluster, which has no token and is deleted at once; ARGs are "
          "'manifest generate' by default. Nothing else is written before everything is checked: "
          "the source, the versions, other owners, injectors that would overlap, and the caller's "
          "rights.\n\n"
          "Then come namespace, CRDs, rights and configuration, istiod, its webhooks once it "
          "answers, the CNI plugin, ztunnel and gateways. Each stage begins when the one before is "
          "ready. At last 'istio check' has to find it ready. What is unchanged is not written, so "
          "a "
          "second run writes nothing, and one that was interrupted goes on. What istiod writes "
          "into its webhooks is not changed. Objects of an earlier version that the manifests no "
          "longer have are deleted, but for CustomResourceDefinitions.",
      .arguments = k_bundle_words,
      .max_words = -1,
      .completes = Completes::files,
      .flags = install_flags(),
      .examples = {{"Install what istioctl prints",
                    "istioctl manifest generate > istio.yaml && kubist istio install istio.yaml"},
                   {"Let the cluster render it, with no istioctl here",
                    "kubist istio install --render docker.io/istio/istioctl:1.31.0 --version "
                    "1.31.0 -- manifest generate --set profile=minimal"},
                   {"Only what was reviewed",
                    "kubist istio install istio.yaml --sha256 $(cat istio.sha256)"}},
      .run = [](Context& context, const Arguments& arguments) {
        return run_install(context, arguments, false);
      }};
}

}  // namespace kubist::cli
