#include "judge/advice.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <kubist/util/text.hpp>

namespace kubist::istio {
namespace {

using Row = std::pair<std::string_view, std::string_view>;

constexpr std::string_view k_restore =
    "apply the manifests that Istio was installed from again (istioctl install, helm upgrade)";

constexpr std::array k_table{
    Row{"forbidden",
        "ask for the right to list {name} in all namespaces, or use another --context"},
    Row{"apiserver", "check the API server (kubist version), then run 'kubist istio check' again"},
    Row{"absent", "kubist istio install MANIFESTS (what 'istioctl manifest generate' prints)"},
    Row{"crds-only",
        "install a control plane again, or delete the CRDs if Istio is not to come back (that "
        "deletes all its configuration)"},
    Row{"orphan-webhook", "kubist delete {kind} {name}"},
    Row{"remote-istiod", "check the control plane where it runs, and the way to it"},
    Row{"missing:Deployment", k_restore},
    Row{"missing:DaemonSet/istio-cni-node", "install the chart istio-cni of the same version"},
    Row{"missing:DaemonSet/ztunnel", "install the chart ztunnel of the same version"},
    Row{"missing", k_restore},
    Row{"rolling-out", "kubist -n {ns} rollout status deployment/{name}"},
    Row{"cni-rolling-out", "kubist -n {ns} rollout status daemonset/{name}"},
    Row{"ztunnel-rolling-out", "kubist -n {ns} rollout status daemonset/{name}"},
    Row{"crd-not-established", "kubist describe crd {name}"},
    Row{"istiod-not-ready:scaled-to-0", "kubectl -n {ns} scale deployment/{name} --replicas=1"},
    Row{"istiod-not-ready", "kubist describe pods -n {ns} -l app=istiod"},
    Row{"cabundle-empty",
        "kubist -n {ns} rollout restart deployment/istiod (istiod fills caBundle in when it may "
        "update {kind}s)"},
    Row{"cabundle-mismatch",
        "kubist -n {ns} rollout restart deployment/istiod (istiod writes its own certificate into "
        "{kind}s)"},
    Row{"validator-fail-open",
        "kubist -n {ns} logs -l app=istiod (istiod closes the webhook once its self-test "
        "succeeds)"},
    Row{"injector-overlap",
        "kubist get mutatingwebhookconfigurations -o yaml, and delete or narrow one of the two"},
    Row{"injectors-not-compared",
        "kubist get mutatingwebhookconfigurations, and delete those that are no longer used"},
    Row{"cni-not-ready", "kubist describe pods -n {ns} -l k8s-app=istio-cni-node"},
    Row{"ztunnel-not-ready", "kubist describe pods -n {ns} -l app=ztunnel"},
    Row{"cni-tainted", "kubist describe pods -A -l k8s-app=istio-cni-node"},
    Row{"sail-not-ready", "kubist describe {kind} {name}"},
    Row{"probe-failed",
        "kubist -n {ns} logs -l app=istiod, and check the way from the API server to port 15017"},
    Row{"skew",
        "restart the workloads so that they get the new proxy: kubist -n {ns} rollout restart "
        "deployment"},
    Row{"dangling-rev-label",
        "kubist label namespace {name} istio.io/rev-, or set it to a revision that exists"},
    Row{"no-injector", "kubist label namespace {name} istio-injection- istio.io/rev=REVISION"},
    Row{"conflicting-labels",
        "kubist label namespace {name} istio-injection- (or istio.io/rev-): the first one wins "
        "while both are there"},
    Row{"not-injected", "kubist -n {name} rollout restart deployment"},
    Row{"half-captured", "kubist -n {name} rollout restart deployment"},
    Row{"lost-proxies", "restart these workloads so that a revision that exists injects them"},
    Row{"mixed-versions", "kubist -n {ns} rollout status deployment/{name}"},
    Row{"eol", "upgrade to a supported release, one minor version at a time or by a new revision"},
    Row{"patch-available", "upgrade to {name}"},
    Row{"k8s-unsupported", "upgrade Istio or Kubernetes so that they fit"},
};

// Kubernetes names need no quotes; whatever else a server says is foreign text.
std::string shell_word(std::string_view word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-._/:").find(c) != std::string_view::npos;
  });
  return plain ? std::string(word)
               : util::cat('\'', util::replace_all(util::printable(word), "'", "'\\''"), '\'');
}

}  // namespace

std::string advice(std::string_view code, const Place& place) {
  const Row* best = nullptr;
  for (const Row& row : k_table) {
    const bool fits = code.starts_with(row.first) &&
                      (code.size() == row.first.size() || code[row.first.size()] == ':' ||
                       code[row.first.size()] == '/');
    if (fits && (best == nullptr || row.first.size() > best->first.size())) {
      best = &row;
    }
  }
  if (best == nullptr) {
    return {};
  }
  std::string text(best->second);
  for (const auto& [key, value] : {std::pair{"{ns}", &place.ns}, std::pair{"{name}", &place.name},
                                   std::pair{"{kind}", &place.kind}}) {
    if (text.find(key) != text.npos) {
      text = util::replace_all(text, key, shell_word(*value));
    }
  }
  return text;
}

}  // namespace kubist::istio
