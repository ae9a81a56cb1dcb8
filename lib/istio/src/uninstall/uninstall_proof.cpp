#include <algorithm>

#include <kubist/istio/probe.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/text.hpp>

#include "evidence/injection_trial.hpp"
#include "uninstall/uninstall_steps.hpp"

namespace kubist::istio {

using util::cat;

namespace {

constexpr std::chrono::milliseconds k_proof_interval{500};
constexpr int k_rounds = 3;

class Proof {
 public:
  Proof(kube::Client& client, const Evidence& evidence, const Record& record,
        const std::stop_token& stop)
      : m_client(client), m_record(record), m_stop(stop) {
    std::vector<WebhookConfig> own;
    for (const WebhookConfig& each : items_of(evidence.injectors)) {
      if (each.revision == record.revision) {
        own.push_back(each);
      }
    }
    m_samples = samples_of(own, items_of(evidence.namespaces), record.ns, record.revision);
  }

  // Did this round see no webhook called? What nothing can be learnt from is not asked again.
  util::Result<bool> round() {
    bool quiet = true;
    std::erase_if(m_samples, [&](const Sample& sample) {
      const Trial trial = try_injection(m_client, sample, m_record.revision, m_message, m_stop);
      m_called = trial == Trial::injected ? cat("pods in namespace ", sample.ns, " are injected")
                 : trial == Trial::webhook_failed ? "the injector is called"
                                                  : m_called;
      quiet = quiet && trial == Trial::untouched;
      return trial == Trial::refused;
    });
    if (m_samples.empty()) {
      return util::fail(
          util::ErrorKind::forbidden,
          cat("whether pods are still injected cannot be tried, since none may be created: ",
              m_message),
          "The webhooks are gone, istiod is still there. Let the caller create pods (dry run) in "
          "the namespace of istiod, and run this again.");
    }
    KUBIST_TRY(const bool checked, still_checked());
    return quiet && !checked;
  }

  const std::string& called() const { return m_called; }

 private:
  util::Result<bool> still_checked() {
    const auto gateways =
        m_client.discovery().find_kind("networking.istio.io/v1", "Gateway", m_stop);
    if (!gateways) {
      return gateways.error().kind == util::ErrorKind::not_found
                 ? util::Result<bool>(false)
                 : util::Result<bool>(util::fail(gateways.error()));
    }
    const Probe probe =
        probe_validation(m_client, gateways->version, m_record.ns, m_record.revision, m_stop);
    const bool checked =
        probe.outcome == Probe::Outcome::works || probe.outcome == Probe::Outcome::unreachable;
    m_called = checked ? "configuration is still checked" : m_called;
    return checked;
  }

  kube::Client& m_client;
  const Record& m_record;
  const std::stop_token& m_stop;
  std::vector<Sample> m_samples;
  std::string m_message, m_called;
};

}  // namespace

util::Result<> prove_webhooks_gone(kube::Client& client, const Evidence& evidence,
                                   const Record& record, const UninstallOptions& options,
                                   const std::stop_token& stop) {
  Proof proof(client, evidence, record, stop);
  const auto end = util::system_clock().monotonic() + options.timeout;
  for (int quiet = 0; quiet < k_rounds;) {
    KUBIST_TRY(const bool silent, proof.round());
    quiet = silent ? quiet + 1 : 0;
    if (!silent && options.on_progress) {
      options.on_progress(
          cat("waiting for the API server to forget the webhooks: ", proof.called()));
    }
    if (quiet < k_rounds && !util::sleep_for(k_proof_interval, stop)) {
      return util::fail(util::ErrorKind::cancelled, "stopped before istiod was removed",
                        "Run it again: it goes on where it stopped.");
    }
    if (quiet < k_rounds && util::system_clock().monotonic() > end) {
      return util::fail(
          util::ErrorKind::timeout,
          cat("the webhooks are deleted, but the API server still calls them: ", proof.called()),
          "istiod stays until then. Run it again.");
    }
  }
  return {};
}

}  // namespace kubist::istio
