#include <algorithm>
#include <set>
#include <utility>

#include <kubist/apply/remove.hpp>
#include <kubist/apply/set.hpp>
#include <kubist/apply/wait.hpp>
#include <kubist/istio/check.hpp>
#include <kubist/istio/install.hpp>
#include <kubist/istio/read.hpp>
#include <kubist/istio/record.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/text.hpp>

#include "install/prune.hpp"
#include "judge/model.hpp"

namespace kubist::istio {

using data::Json;
using resources::Manifest;
using resources::ObjectView;
using util::cat;

namespace {

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
    KUBIST_CHECK(m_options.writer.may_write());
    for (StagedObjects& stage : stages_of(m_bundle)) {
      if (m_options.on_stage) {
        m_options.on_stage(stage.stage);
      }
      if (stage.stage == Stage::control_plane && !m_rescaled.empty() && !is_dry()) {
        KUBIST_CHECK(rescale());
      }
      KUBIST_CHECK(stage.stage == Stage::webhooks ? apply_webhooks(stage) : apply_stage(stage));
      if (!is_dry()) {
        KUBIST_CHECK(await(stage));
      }
      for (const Manifest& manifest : stage.objects) {
        m_applied.insert(ObjectView(manifest.object).ref());
      }
    }
    KUBIST_CHECK(prune());
    KUBIST_CHECK(write_record());
    if (!is_dry()) {
      KUBIST_CHECK(prove());
    }
    return std::move(m_outcome);
  }

 private:
  bool is_dry() const { return m_options.writer.dry(); }
  // A server's dry run would fail on all that needs the CRDs and the namespace.
  kube::DryRun dry_run() const { return is_dry() ? kube::DryRun::client : kube::DryRun::none; }

  util::Result<> preflight() {
    KUBIST_TRY(const Evidence evidence, gather(m_client, {}, m_stop));
    m_outcome.verdict = judge(evidence, {m_bundle.ns, m_bundle.revision}, m_support);
    m_outcome.obstacles =
        find_obstacles(m_bundle, evidence, m_support, {m_options.adopt, m_options.rescale});
    find_rescaled(evidence);
    KUBIST_TRY(const auto rights, check_rights(m_client, m_bundle, m_stop));
    m_outcome.obstacles.insert(m_outcome.obstacles.end(), rights.begin(), rights.end());
    if (m_options.upgrade) {
      require_installed(evidence);
    }
    KUBIST_TRY(const auto immutable, check_immutable(m_client, m_bundle, m_stop));
    m_outcome.obstacles.insert(m_outcome.obstacles.end(), immutable.begin(), immutable.end());
    return {};
  }

  void find_rescaled(const Evidence& evidence) {
    for (const ControlPlane& each : items_of(evidence.control_planes)) {
      if (m_options.rescale && each.revision == m_bundle.revision && each.ns == m_bundle.ns &&
          each.installer == "kubist" && scaled_to_zero(each)) {
        m_rescaled = each.name;
      }
    }
  }

  // Before the manifests: with a number of replicas of their own they have the last word.
  util::Result<> rescale() {
    const kube::ApiResource& deployments = kube::well_known::deployments();
    KUBIST_CHECK(m_options.writer.patch(target(), deployments, m_bundle.ns, m_rescaled,
                                        kube::PatchType::merge, {{"spec", {{"replicas", 1}}}},
                                        {.detail = "was scaled to 0"}));
    return {};
  }

  void require_installed(const Evidence& evidence) {
    for (const ControlPlane& each : items_of(evidence.control_planes)) {
      if (each.revision == m_bundle.revision && each.ns == m_bundle.ns) {
        return;
      }
    }
    m_outcome.obstacles.push_back(
        {"not-installed",
         cat("there is no istiod of revision ", m_bundle.revision, " in namespace ", m_bundle.ns),
         "install it: kubist istio install PATH"});
  }

  // What the manifests of before had and these have not. Once all else works.
  util::Result<> prune() {
    m_applied.insert(ObjectView(install_record(m_bundle).object).ref());
    KUBIST_TRY(Stale stale,
               find_stale(m_client, m_bundle.ns, m_bundle.revision, m_applied, m_stop));
    std::vector<apply::Target> targets;
    for (const apply::Owned& each : stale.going) {
      targets.push_back(apply::target_of(each));
    }
    apply::RemoveOptions options;
    options.ignore_not_found = true;
    options.dry_run = dry_run();
    options.timeout = m_options.timeout;
    options.permit = m_options.writer.rules().permit;
    options.keep_calls = is_told();
    options.on_progress = m_options.on_progress;
    apply::Report report = apply::remove_set(m_client, targets, options, m_stop);
    for (apply::ObjectResult& result : report.results) {
      result.index = apply::ObjectResult::k_no_input;
      result.outcome = result.ok() ? apply::Outcome::pruned : result.outcome;
    }
    std::move(stale.kept.begin(), stale.kept.end(), std::back_inserter(report.results));
    for (const apply::ObjectResult& result : report.results) {
      tell(result);
    }
    auto error = report.error();
    m_outcome.applied.append(std::move(report));
    if (error) {
      return util::fail(util::with_context(std::move(*error), "pruning"));
    }
    return is_dry() && m_list_told
               ? util::Result<>()
               : apply::write_inventory(list_writer(), target(), stale.inventory,
                                        std::move(stale.remaining));
  }

  // No set writes the list after a prune, so the options' writer tells of it.
  kube::Writer list_writer() {
    kube::Writer::Rules rules{.dry_run = dry_run(), .permit = m_options.writer.rules().permit};
    rules.told = [this](const kube::Write& write) {
      m_list_told = true;
      m_options.writer.tell(write);
    };
    return kube::Writer(std::move(rules));
  }

  kube::Target target() const { return {m_client, m_options.cluster}; }
  bool is_told() const { return m_options.writer.rules().told != nullptr; }

  // A dry run keeps no list, so what a stage would make of the one before it is not known.
  void tell(const apply::ObjectResult& result) {
    const apply::InventoryName list = inventory_name(m_bundle.ns, m_bundle.revision);
    const bool is_list = result.ref == resources::ObjectRef{"", "ConfigMap", list.ns, list.name};
    const bool known = !is_list || !std::exchange(m_list_told, true) || !is_dry();
    if (known && m_options.on_result) {
      m_options.on_result(result);
    }
  }

  // Last: whoever finds it knows that nothing was left out.
  util::Result<> write_record() {
    std::vector<Manifest> objects{install_record(m_bundle)};
    apply::Report report = apply::apply_set(m_client, objects, apply_options(), m_stop);
    auto error = report.error();
    m_outcome.applied.append(std::move(report));
    return error ? util::Result<>(util::fail(util::with_context(std::move(*error), "record")))
                 : util::Result<>();
  }

  apply::Options apply_options() {
    apply::Options options;
    options.force_conflicts = m_options.adopt;
    options.dry_run = dry_run();
    options.timeout = m_options.timeout;
    options.permit = m_options.writer.rules().permit;
    options.keep_calls = is_told();
    options.on_result = [this](const apply::ObjectResult& result) { tell(result); };
    options.on_progress = m_options.on_progress;
    options.inventory = inventory_name(m_bundle.ns, m_bundle.revision);
    return options;
  }

  util::Result<> apply_stage(StagedObjects& stage) {
    return conclude(apply::apply_set(m_client, stage.objects, apply_options(), m_stop), stage);
  }

  // Istiod closes its webhooks when it likes. Where it did so between our look and our write, the
  // two are in conflict: then we look again.
  util::Result<> apply_webhooks(StagedObjects& stage) {
    constexpr int k_tries = 3;
    apply::Options options = apply_options();
    options.on_result = {};
    for (int tries = 1;; ++tries) {
      KUBIST_TRY(const Evidence evidence, gather(m_client, {}, m_stop));
      for (StagedObjects& each : stages_of(m_bundle, live_webhooks(evidence))) {
        if (each.stage == Stage::webhooks) {
          stage.objects = std::move(each.objects);
        }
      }
      apply::Report report = apply::apply_set(m_client, stage.objects, options, m_stop);
      const auto error = report.error();
      const bool again = error && error->kind == util::ErrorKind::conflict && tries < k_tries;
      for (const apply::ObjectResult& result : report.results) {
        if (!again || result.written) {
          tell(result);
        }
      }
      if (!again) {
        return conclude(std::move(report), stage);
      }
    }
  }

  util::Result<> conclude(apply::Report report, const StagedObjects& stage) {
    auto error = report.error();
    m_outcome.applied.append(std::move(report));
    if (error) {
      return util::fail(util::with_context(std::move(*error), to_string(stage.stage)));
    }
    return {};
  }

  // Only workloads and webhooks: a Service of type LoadBalancer may never get an address.
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
  std::set<resources::ObjectRef> m_applied;
  std::string m_rescaled;    ///< the Deployment of istiod that is scaled to 0
  bool m_list_told = false;  ///< that the list of the revision's objects is written
  InstallOutcome m_outcome;
};

}  // namespace

util::Result<InstallOutcome> install(kube::Client& client, const Bundle& bundle,
                                     const InstallOptions& options, const SupportTable& support,
                                     const std::stop_token& stop) {
  return Installer(client, bundle, options, support, stop).run();
}

}  // namespace kubist::istio
