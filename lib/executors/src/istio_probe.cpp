#include <kubist/data/pointer.hpp>
#include <kubist/executors/istio_probe.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using data::Json;
using util::cat;

namespace {

// "docker.io/istio/pilot:1.30.3-distroless" -> "1.30.3"
std::string version_of_image(std::string_view image) {
  const std::size_t colon = image.rfind(':');
  if (colon == image.npos || image.find('/', colon) != image.npos) {
    return {};
  }
  const std::string_view tag = image.substr(colon + 1);
  return std::string(tag.substr(0, tag.find('-')));
}

IstioFinding present(const Json& deployment) {
  const resources::ObjectView view(deployment);
  IstioFinding finding;
  finding.verdict = "Present";
  finding.revision = view.label("istio.io/rev");
  if (const Json* image = data::find(deployment, "/spec/template/spec/containers/0/image");
      image != nullptr && image->is_string()) {
    finding.version = version_of_image(image->get_ref<const std::string&>());
  }
  const auto wanted = data::int_at(deployment, {"spec", "replicas"}, 1);
  const auto ready = data::int_at(deployment, {"status", "readyReplicas"});
  finding.healthy = wanted > 0 && ready >= wanted;
  finding.reasons = {finding.healthy ? "ControlPlaneReady" : "ControlPlaneNotReady"};
  finding.message = cat("Deployment ", view.ns(), '/', view.name(), " is ",
                        finding.healthy ? "ready" : "not ready");
  return finding;
}

IstioFinding unknown(std::string reason, std::string message) {
  IstioFinding finding;
  finding.reasons = {std::move(reason)};
  finding.message = std::move(message);
  return finding;
}

}  // namespace

util::Result<IstioFinding> BasicIstioProbe::look(kube::Client& client, const Json& expected,
                                                 const std::stop_token& stop) const {
  const std::string ns(data::string_at(expected, {"namespace"}, "istio-system"));
  const std::string_view revision = data::string_at(expected, {"revision"});
  kube::ListOptions options;
  options.label_selector =
      revision.empty() ? "app=istiod" : cat("app=istiod,istio.io/rev=", revision);
  const auto found = client.list(kube::well_known::deployments(), ns, options, stop);
  if (!found) {
    if (found.error().kind == util::ErrorKind::forbidden) {
      return unknown("Forbidden", cat("not allowed to list Deployments in ", ns));
    }
    return util::fail(found.error());
  }
  if (!found->items.empty()) {
    return present(found->items.front());
  }
  KUBIST_TRY(const auto index, client.discovery().index(stop));
  if (index->has_group("networking.istio.io")) {
    return unknown("ControlPlaneNotFound",
                   cat("the Istio API is served, but there is no istiod in ", ns));
  }
  IstioFinding absent;
  absent.verdict = "Absent";
  absent.reasons = {"NothingFound"};
  absent.message = cat("no istiod in ", ns, " and no Istio API");
  return absent;
}

}  // namespace kubist::executors
