#include <algorithm>
#include <set>
#include <utility>

#include <kubist/apply/read.hpp>
#include <kubist/apply/wait.hpp>
#include <kubist/istio/check.hpp>
#include <kubist/istio/labels.hpp>
#include <kubist/istio/move.hpp>
#include <kubist/kube/writer.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "evidence/injection_trial.hpp"
#include "evidence/questions.hpp"
#include "judge/model.hpp"

namespace kubist::istio {

using data::Json;
using util::cat;
using util::ErrorKind;
namespace well_known = kube::well_known;

namespace {

/// Null: no kind that can be restarted, as a list of one may say of its objects.
const kube::ApiResource* resource_of(std::string_view kind) {
  for (const kube::ApiResource* each :
       {&well_known::deployments(), &well_known::stateful_sets(), &well_known::daemon_sets()}) {
    if (each->kind == kind) {
      return each;
    }
  }
  return nullptr;
}

bool can_restart(const Behind& behind) {
  return behind.why_not.empty() && resource_of(behind.kind) != nullptr;
}

class Mover {
 public:
  Mover(kube::Client& client, const MoveOptions& options, const SupportTable& support,
        const std::stop_token& stop)
      : m_client(client),
        m_options(options),
        m_support(support),
        m_stop(stop),
        m_writer({.dry_run = options.dry_run}) {}

  util::Result<MoveOutcome> run() {
    KUBIST_TRY(m_evidence, gather(m_client, {}, m_stop));
    KUBIST_CHECK(make_plan());
    KUBIST_TRY(auto refused, refused_rights(m_client, questions(), m_stop));
    std::move(refused.begin(), refused.end(), std::back_inserter(m_plan.obstacles));
    m_outcome.notes = m_plan.notes;
    m_outcome.obstacles = m_plan.obstacles;
    if (!m_outcome.obstacles.empty()) {
      return std::move(m_outcome);
    }
    KUBIST_CHECK(label());
    if (m_options.restart) {
      KUBIST_CHECK(restart());
    }
    m_outcome.behind = behind();
    return std::move(m_outcome);
  }

 private:
  util::Result<> make_plan() {
    std::vector<apply::Lookup> lookups;
    for (const std::string& name : m_options.namespaces) {
      lookups.push_back({well_known::namespaces(), "", name});
    }
    KUBIST_TRY(auto objects, apply::read_objects(m_client, lookups, m_stop));
    std::vector<MeshNamespace> namespaces;
    for (std::size_t at = 0; at < objects.size(); ++at) {
      MeshNamespace ns;
      ns.name = m_options.namespaces[at];
      if (objects[at]) {
        ns.object = std::move(*objects[at]);
        KUBIST_CHECK(read_workloads(ns));
      }
      namespaces.push_back(std::move(ns));
    }
    m_plan = plan_move(m_evidence, namespaces, m_options.revision, m_support);
    return {};
  }

  util::Result<> read_workloads(MeshNamespace& ns) {
    KUBIST_TRY(auto pods, m_client.list(well_known::pods(), ns.name, {}, m_stop));
    ns.pods = std::move(pods.items);
    for (const kube::ApiResource* kind :
         {&well_known::deployments(), &well_known::stateful_sets(), &well_known::daemon_sets()}) {
      KUBIST_TRY(auto list, m_client.list(*kind, ns.name, {}, m_stop));
      std::move(list.items.begin(), list.items.end(), std::back_inserter(ns.workloads));
    }
    return {};
  }

  std::vector<Behind> behind() const {
    std::vector<Behind> all;
    for (const NamespaceMove& each : m_plan.namespaces) {
      all.insert(all.end(), each.behind.begin(), each.behind.end());
    }
    return all;
  }

  std::vector<kube::AccessQuestion> questions() const {
    std::vector<kube::AccessQuestion> all;
    const auto patch = [&](const kube::ApiResource& resource, const std::string& ns,
                           const std::string& name) {
      kube::AccessQuestion question;
      question.verb = "patch";
      question.group = resource.group;
      question.resource = resource.plural;
      question.ns = ns;
      question.name = name;
      all.push_back(std::move(question));
    };
    for (const NamespaceMove& each : m_plan.namespaces) {
      if (!each.labelled) {
        patch(well_known::namespaces(), each.name, each.name);
      }
    }
    for (const Behind& each : m_options.restart ? behind() : std::vector<Behind>()) {
      if (can_restart(each)) {
        patch(*resource_of(each.kind), each.ns, each.name);
      }
    }
    return all;
  }

  util::Result<> label() {
    const Json patch{
        {"metadata",
         {{"labels", {{k_revision_label, m_options.revision}, {k_injection_label, nullptr}}}}}};
    for (const NamespaceMove& each : m_plan.namespaces) {
      if (each.labelled) {
        continue;
      }
      KUBIST_CHECK(m_writer.patch({m_client}, well_known::namespaces(), "", each.name,
                                  kube::PatchType::merge, patch));
      done(cat("namespace/", each.name), "moved");
    }
    return {};
  }

  util::Result<> restart() {
    std::vector<Behind> going = behind();
    std::erase_if(going, [](const Behind& each) { return !can_restart(each); });
    if (!m_writer.dry()) {
      std::set<std::string> namespaces;
      for (const Behind& each : going) {
        namespaces.insert(each.ns);
      }
      for (const std::string& ns : namespaces) {
        KUBIST_CHECK(await_injection(ns));
      }
    }
    for (const Behind& each : going) {
      KUBIST_CHECK(restart(each));
    }
    if (m_writer.dry()) {
      return {};
    }
    KUBIST_CHECK(await(going));
    return look_again();
  }

  // The API server sees labels and webhooks through caches: pods made too early would get the
  // proxy of before.
  util::Result<> await_injection(const std::string& ns) {
    constexpr std::chrono::milliseconds k_interval{300};
    const auto end = util::system_clock().monotonic() + m_options.timeout;
    std::string message;
    for (;;) {
      const Trial trial =
          try_injection(m_client, {ns, Json::object()}, m_plan.control_plane, message, m_stop);
      if (trial == Trial::injected) {
        return {};
      }
      if (trial == Trial::refused) {
        m_outcome.notes.push_back(cat("whether pods of namespace ", ns,
                                      " get the new proxy could not be tried: ", message));
        return {};
      }
      if (m_options.on_progress) {
        m_options.on_progress(cat("waiting until new pods of namespace ", ns,
                                  " get the proxy of revision ", m_plan.control_plane));
      }
      if (!util::sleep_for(k_interval, m_stop)) {
        return util::fail(ErrorKind::cancelled, "stopped before anything was restarted",
                          "Run it again: it goes on where it stopped.");
      }
      if (util::system_clock().monotonic() > end) {
        return util::fail(ErrorKind::timeout,
                          cat("namespace ", ns,
                              " has its labels, but its pods would not get the proxy of revision ",
                              m_plan.control_plane),
                          "Nothing was restarted. See what its webhook takes: kubist istio check");
      }
    }
  }

  // As `kubectl rollout restart` does.
  util::Result<> restart(const Behind& behind) {
    const Json annotations{
        {"kubectl.kubernetes.io/restartedAt", util::format_time(std::chrono::system_clock::now())}};
    const Json patch{{"spec", {{"template", {{"metadata", {{"annotations", annotations}}}}}}}};
    KUBIST_CHECK(m_writer.patch({m_client}, *resource_of(behind.kind), behind.ns, behind.name,
                                kube::PatchType::merge, patch));
    done(cat(util::lower(behind.kind), '/', behind.ns, '/', behind.name), "restarted");
    return {};
  }

  util::Result<> await(const std::vector<Behind>& restarted) {
    std::vector<apply::Awaited> awaited;
    for (const Behind& each : restarted) {
      awaited.push_back({*resource_of(each.kind), each.ns, each.name, ""});
    }
    apply::WaitOptions options;
    options.timeout = m_options.timeout;
    options.on_progress = m_options.on_progress;
    apply::Report report;
    report.not_ready =
        apply::wait_ready(m_client, awaited, resources::ReadyMode::kstatus, options, m_stop);
    if (m_stop.stop_requested()) {
      return util::fail(ErrorKind::cancelled, "stopped while pods were restarted",
                        "Run it again: it goes on where it stopped.");
    }
    auto error = report.error();
    return error ? util::Result<>(util::fail(std::move(*error))) : util::Result<>();
  }

  // What was restarted must not be behind any more; the rest is for the caller to tell.
  util::Result<> look_again() {
    std::vector<std::string> left;
    KUBIST_CHECK(make_plan());
    for (const Behind& each : behind()) {
      if (can_restart(each)) {
        left.push_back(
            cat(util::lower(each.kind), '/', each.ns, '/', each.name, " (", to_string(each), ')'));
      }
    }
    return left.empty() ? util::Result<>()
                        : util::fail(ErrorKind::not_ready,
                                     cat("still behind after their restart: ", some_of(left)),
                                     "See what takes their pods: kubist istio check");
  }

  void done(const std::string& subject, std::string_view what) const {
    if (m_options.on_done) {
      m_options.on_done(subject, what);
    }
  }

  kube::Client& m_client;
  const MoveOptions& m_options;
  const SupportTable& m_support;
  const std::stop_token& m_stop;
  const kube::Writer m_writer;
  Evidence m_evidence;
  MovePlan m_plan;
  MoveOutcome m_outcome;
};

}  // namespace

util::Result<MoveOutcome> move(kube::Client& client, const MoveOptions& options,
                               const SupportTable& support, const std::stop_token& stop) {
  return Mover(client, options, support, stop).run();
}

}  // namespace kubist::istio
