#include <kubist/istio/labels.hpp>
#include <kubist/istio/probe.hpp>
#include <kubist/util/text.hpp>

namespace kubist::istio {

Probe::Outcome classify_probe(const util::Result<kube::Reply>& reply) {
  if (reply) {
    return Probe::Outcome::not_consulted;
  }
  const util::Error& error = reply.error();
  if (error.message.find("denied the request") != std::string::npos) {
    return Probe::Outcome::works;
  }
  return error.message.find("failed calling webhook") != std::string::npos
             ? Probe::Outcome::unreachable
             : Probe::Outcome::not_run;
}

Probe probe_validation(kube::Client& client, const std::string& version, const std::string& ns,
                       const std::string& revision, const std::stop_token& stop) {
  const auto gateways =
      kube::make_resource("networking.istio.io", version, "Gateway", "gateways", true);
  const data::Json gateway{
      {"apiVersion", gateways.api_version()},
      {"kind", gateways.kind},
      {"metadata",
       {{"name", "kubist-webhook-probe"},
        {"namespace", ns},
        {"labels", {{k_revision_label, revision}}},
        {"annotations", {{"internal.istio.io/webhook-always-reject", "true"}}}}},
      {"spec", data::Json::object()}};
  kube::WriteOptions options;
  options.dry_run = kube::DryRun::server;
  options.validation = kube::FieldValidation::ignore;
  const auto reply = client.run(kube::create(gateways, gateway, options), stop);
  Probe probe;
  probe.ns = ns;
  probe.revision = revision;
  probe.outcome = classify_probe(reply);
  if (!reply && probe.outcome != Probe::Outcome::works) {
    probe.message = reply.error().message;
  }
  return probe;
}

}  // namespace kubist::istio
