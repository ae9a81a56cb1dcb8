#include "evidence/injection_trial.hpp"

#include <algorithm>
#include <array>

#include <kubist/data/pointer.hpp>
#include <kubist/istio/labels.hpp>
#include <kubist/resources/object.hpp>

#include "evidence/injection.hpp"
#include "evidence/read_support.hpp"

namespace kubist::istio {

using data::Json;
using resources::ObjectView;

namespace {

// What pods may say themselves: nothing, that they want a proxy, or from which revision.
std::vector<Json> pod_labels(const std::string& revision) {
  return {Json::object(),
          {{k_inject_label, "true"}},
          {{k_revision_label, revision}},
          {{k_inject_label, "true"}, {k_revision_label, revision}}};
}

// One that passes the strictest pod security and any quota that wants requests and limits.
Json pod_of(const Sample& sample) {
  const Json resources{{"cpu", "1m"}, {"memory", "1Mi"}};
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"generateName", "kubist-injection-trial-"},
            {"namespace", sample.ns},
            {"labels", sample.labels}}},
          {"spec",
           {{"automountServiceAccountToken", false},
            {"securityContext",
             {{"runAsNonRoot", true},
              {"runAsUser", 65534},
              {"seccompProfile", {{"type", "RuntimeDefault"}}}}},
            {"containers",
             {{{"name", "trial"},
               {"image", "registry.k8s.io/pause"},
               {"resources", {{"requests", resources}, {"limits", resources}}},
               {"securityContext",
                {{"allowPrivilegeEscalation", false},
                 {"capabilities", {{"drop", Json::array({"ALL"})}}}}}}}}}}};
}

}  // namespace

std::vector<Sample> samples_of(const std::vector<WebhookConfig>& injectors,
                               const std::vector<NamespaceLabels>& namespaces,
                               const std::string& ns, const std::string& revision) {
  Sample asking{ns, {{k_inject_label, "true"}}};
  if (revision != k_default_revision) {
    asking.labels[k_revision_label] = revision;
  }
  std::vector<Sample> samples{asking};
  const Injection injection(injectors);
  for (const auto& matcher : injection.matchers()) {
    const auto sample = [&]() -> std::optional<Sample> {
      for (const NamespaceLabels& where : namespaces) {
        for (const Json& labels : pod_labels(revision)) {
          if (!where.terminating && matcher.takes(where.labels, labels)) {
            return Sample{where.name, labels};
          }
        }
      }
      return std::nullopt;
    }();
    if (sample) {
      samples.push_back(*sample);
    }
  }
  return samples;
}

Trial classify_trial(const util::Result<kube::Reply>& reply, const std::string& revision) {
  if (!reply) {
    const std::string& message = reply.error().message;
    return message.find("failed calling webhook") != message.npos &&
                   message.find(".istio.io\"") != message.npos
               ? Trial::webhook_failed
               : Trial::refused;
  }
  const auto pod = reply->json();
  if (!pod) {
    return Trial::refused;
  }
  const ObjectView view(*pod);
  const std::string_view by = view.annotation(k_revision_label);
  const bool proxy = container_named(view.spec(), "istio-proxy") != nullptr ||
                     !view.annotation("sidecar.istio.io/status").empty();
  return proxy && (by.empty() || by == revision) ? Trial::injected : Trial::untouched;
}

Trial try_injection(kube::Client& client, const Sample& sample, const std::string& revision,
                    std::string& message, const std::stop_token& stop) {
  kube::WriteOptions options;
  options.dry_run = kube::DryRun::server;
  const auto reply =
      client.run(kube::create(kube::well_known::pods(), pod_of(sample), options), stop);
  if (!reply) {
    message = reply.error().message;
  }
  return classify_trial(reply, revision);
}

}  // namespace kubist::istio
