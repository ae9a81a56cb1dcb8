#include <algorithm>

#include <kubist/apply/set.hpp>
#include <kubist/apply/wait.hpp>
#include <kubist/istio/check.hpp>
#include <kubist/istio/install.hpp>
#include <kubist/istio/read.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/text.hpp>

#include "questions.hpp"

namespace kubist::istio {

using data::Json;
using resources::Manifest;
using resources::ObjectView;
using util::cat;

namespace {

Manifest record_of(const Bundle& bundle) {
  Manifest manifest;
  manifest.object = {
      {"apiVersion", "v1"},
      {"kind", "ConfigMap"},
      {"metadata",
       {{"name", with_revision("kubist-install", bundle.revision)}, {"namespace", bundle.ns}}},
      {"data",
       {{"version", bundle.version}, {"revision", bundle.revision}, {"sha256", bundle.sha256}}}};
  return manifest;
}

// Istiod fills caBundle in and closes the validator once it has seen it work.
apply::Judgement taken_over(const Json* live) {
  apply::Judgement judgement;
  judgement.status = "InProgress";
  if (live == nullptr) {
    judgement.message = "does not exist";
    return judgement;
  }
  const auto config = read_webhook_config(*live);
  const auto waits = [](const Webhook& webhook) {
    return webhook.target.url.empty() && (webhook.ca_bundle.empty() || !webhook.fail_closed);
  };
  if (config && std::any_of(config->webhooks.begin(), config->webhooks.end(), waits)) {
    judgement.message = "istiod has not put its certificate into it and closed it yet";
    return judgement;
  }
  judgement.done = true;
  judgement.status = "Current";
  return judgement;
}

class Installer {
 public:
  Installer(kube::Client& client, const Bundle& bundle, const InstallOptions& options,
            const SupportTable& support, const std::stop_token& stop)
      : m_client(client), m_bundle(bundle), m_options(options), m_support(support), m_stop(stop) {}

  util::Result<InstallOutcome> run() {
    KUBIST_CHECK(preflight());
    if (!m_outcome.obstacles.empty()) {
      return std::move(m_outcome);
    }
    for (StagedObjects& stage : stages_of(m_bundle, m_live_webhooks)) {
      if (stage.stage == Stage::base) {
        stage.objects.push_back(record_of(m_bundle));
      }
      if (m_options.on_stage) {
        m_options.on_stage(stage.stage);
      }
      KUBIST_CHECK(apply_stage(stage));
      if (!m_options.dry_run) {
        KUBIST_CHECK(await(stage));
      }
    }
    if (!m_options.dry_run) {
      KUBIST_CHECK(prove());
    }
    return std::move(m_outcome);
  }

 private:
  util::Result<> preflight() {
    KUBIST_TRY(const Evidence evidence, gather(m_client, {}, m_stop));
    m_outcome.verdict = judge(evidence, {m_bundle.ns, m_bundle.revision}, m_support);
    m_outcome.obstacles = find_obstacles(m_bundle, evidence, m_support, {m_options.adopt});
    KUBIST_TRY(const auto rights, check_rights(m_client, m_bundle, m_stop));
    m_outcome.obstacles.insert(m_outcome.obstacles.end(), rights.begin(), rights.end());
    for (const auto* configs : {&evidence.injectors, &evidence.validators}) {
      const auto& live = items_of(*configs);
      m_live_webhooks.insert(m_live_webhooks.end(), live.begin(), live.end());
    }
    return {};
  }

  util::Result<> apply_stage(StagedObjects& stage) {
    apply::Options options;
    options.force_conflicts = m_options.adopt;
    options.dry_run = m_options.dry_run ? apply::DryRun::client : apply::DryRun::none;
    options.timeout = m_options.timeout;
    options.on_result = m_options.on_result;
    options.on_progress = m_options.on_progress;
    options.inventory =
        apply::InventoryName{m_bundle.ns, with_revision("kubist-istio", m_bundle.revision)};
    apply::Report report = apply::apply_set(m_client, stage.objects, options, m_stop);
    auto error = report.error();
    m_outcome.applied.append(std::move(report));
    if (error) {
      return util::fail(util::with_context(std::move(*error), to_string(stage.stage)));
    }
    return {};
  }

  // Workloads and webhooks alone: a Service of type LoadBalancer may never get an address.
  util::Result<> await(const StagedObjects& stage) {
    KUBIST_TRY(const auto index, m_client.discovery().index(m_stop));
    std::vector<apply::Awaited> workloads;
    std::vector<apply::Awaited> webhooks;
    for (const Manifest& manifest : stage.objects) {
      const ObjectView view(manifest.object);
      const kube::ApiResource* resource = index->by_kind(view.group(), view.version(), view.kind());
      if (resource == nullptr) {
        continue;
      }
      const apply::Awaited awaited{*resource, std::string(view.ns()), std::string(view.name()), ""};
      if (view.kind() == "Deployment" || view.kind() == "DaemonSet") {
        workloads.push_back(awaited);
      } else if (stage.stage == Stage::webhooks) {
        webhooks.push_back(awaited);
      }
    }
    apply::WaitOptions options;
    options.timeout = m_options.timeout;
    options.on_progress = m_options.on_progress;
    KUBIST_CHECK(decide(
        apply::wait_ready(m_client, workloads, resources::ReadyMode::kstatus, options, m_stop),
        stage));
    return decide(apply::wait_until(m_client, webhooks, taken_over, options, m_stop), stage);
  }

  util::Result<> decide(std::vector<apply::NotReady> left, const StagedObjects& stage) const {
    if (m_stop.stop_requested()) {
      return util::fail(util::ErrorKind::cancelled,
                        cat("stopped in stage ", to_string(stage.stage)),
                        "Run it again: it goes on where it stopped.");
    }
    if (left.empty()) {
      return {};
    }
    apply::Report report;
    report.not_ready = std::move(left);
    return util::fail(util::with_context(*report.error(), to_string(stage.stage)));
  }

  // What istiod does at its start takes some seconds to show.
  util::Result<> prove() {
    constexpr std::chrono::milliseconds k_interval{500};
    const auto end = util::system_clock().monotonic() + m_options.timeout;
    for (;;) {
      KUBIST_TRY(m_outcome.verdict,
                 check(m_client, {m_bundle.ns, m_bundle.revision}, m_support, {}, m_stop));
      if (m_outcome.verdict.ready) {
        return {};
      }
      if (util::system_clock().monotonic() > end || !util::sleep_for(k_interval, m_stop)) {
        return util::fail(util::ErrorKind::not_ready,
                          cat("all is applied, but Istio is ", to_string(m_outcome.verdict.verdict),
                              ": ", summary(m_outcome.verdict)),
                          next_step(m_outcome.verdict));
      }
    }
  }

  kube::Client& m_client;
  const Bundle& m_bundle;
  const InstallOptions& m_options;
  const SupportTable& m_support;
  const std::stop_token& m_stop;
  std::vector<WebhookConfig> m_live_webhooks;
  InstallOutcome m_outcome;
};

}  // namespace

util::Result<InstallOutcome> install(kube::Client& client, const Bundle& bundle,
                                     const InstallOptions& options, const SupportTable& support,
                                     const std::stop_token& stop) {
  return Installer(client, bundle, options, support, stop).run();
}

}  // namespace kubist::istio
