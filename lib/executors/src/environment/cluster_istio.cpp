#include "environment/cluster_istio.hpp"

#include <algorithm>
#include <mutex>
#include <span>

#include <kubist/istio/install.hpp>
#include <kubist/istio/need.hpp>
#include <kubist/util/text.hpp>

#include "world/istio_wish.hpp"

namespace kubist::executors {

using data::Json;
using engine::Alignment;
using engine::Outcome;
using util::cat;
using util::ErrorKind;

namespace {

constexpr std::chrono::seconds k_look_again{15};
/// For one stage: what takes longer goes on at the next evaluation, and the cluster's children
/// meanwhile.
constexpr std::chrono::seconds k_stage_timeout{60};

void report_istio(const istio::Report& report, Alignment& alignment) {
  constexpr std::size_t k_most_reasons = 20;
  std::string verdict(istio::to_string(report.verdict));
  verdict.front() = static_cast<char>(verdict.front() - 'a' + 'A');
  const std::string message = istio::summary(report);
  Json& status = alignment.status["istio"];
  status = {{"verdict", verdict}, {"reasons", Json::array()}, {"message", message}};
  for (const istio::Finding& finding : report.findings) {
    if (status["reasons"].size() < k_most_reasons) {
      status["reasons"].push_back(finding.code);
    }
  }
  if (!report.version.empty()) {
    status["version"] = report.version;
  }
  if (!report.revision.empty()) {
    status["revision"] = report.revision;
  }
  const bool unknown = report.verdict == istio::Verdict::unknown;
  alignment.conditions.push_back({"IstioReady",
                                  report.ready ? "True"
                                  : unknown    ? "Unknown"
                                               : "False",
                                  istio::condition_reason(report), message});
}

enum class Did {
  nothing,
  would_install,  ///< in a dry run
  something,      ///< the cluster has to be looked at again
};

/// Brings Istio to what spec.istio wants, with one install() where that is needed.
class IstioInstall {
 public:
  IstioInstall(const Connection& connection, Work& work, const IstioWish& wish,
               Alignment& alignment)
      : m_connection(connection), m_work(work), m_wish(wish), m_alignment(alignment) {}

  util::Result<Did> run(const istio::Report& report) {
    if (const auto granted = check_istio_grant(project(), m_wish); !granted) {
      return hold(granted.error());
    }
    const auto why = why_needed(report);
    if (!why) {
      return hold(why.error());
    }
    if (!*why) {
      return Did::nothing;
    }
    tell(cat("installing Istio: ", **why));
    if (m_work.dry() && m_wish.renders) {  // a Job is a write
      m_alignment.message = cat("Istio would be installed from ", m_wish.source());
      return Did::would_install;
    }
    const auto bundle = read_wished_bundle(m_work, *m_connection.client, m_wish);
    return bundle ? install(*bundle) : hold(bundle.error());
  }

 private:
  const Json* project() const {
    const engine::NodeId parent = m_work.node().parent;
    return parent == engine::k_no_node ? nullptr : &*m_work.context().graph[parent].object;
  }

  util::Result<std::optional<std::string>> why_needed(const istio::Report& report) {
    std::optional<istio::Installed> installed;
    if (!report.revisions.empty()) {
      const istio::RevisionReport& revision = report.revisions.front();
      KUBIST_TRY(installed, istio::read_installed(*m_connection.client, revision.ns, revision.name,
                                                  m_work.stop()));
    }
    return istio::why_install(report, installed, {m_wish.version, m_wish.sha256});
  }

  util::Result<Did> install(const istio::Bundle& bundle) {
    istio::InstallOptions options;
    options.timeout = k_stage_timeout;
    options.writer = m_work.writer();
    options.cluster = cluster();
    options.rescale = true;
    options.on_stage = [this](istio::Stage stage) {
      tell(cat("installing Istio: ", istio::to_string(stage)));
    };
    options.on_progress = [this](std::string_view text) { tell(cat("installing Istio: ", text)); };
    options.on_result = [this](const apply::ObjectResult& result) { note(result); };
    const auto outcome = istio::install(*m_connection.client, bundle, options,
                                        istio::built_in_support(), m_work.stop());
    if (!outcome) {
      return failed(outcome.error());
    }
    if (!outcome->obstacles.empty()) {
      return refused(outcome->obstacles);
    }
    if (m_work.dry()) {
      m_alignment.message = cat("Istio ", bundle.version, " would be installed");
      return Did::would_install;
    }
    return Did::something;
  }

  void tell(std::string text) const {
    if (m_work.context().progress) {
      m_work.context().progress(std::move(text));
    }
  }

  std::string cluster() const {
    return m_connection.uid == m_work.world().home_uid ? "" : m_work.node().key.name;
  }

  void note(const apply::ObjectResult& result) {
    const bool pruned = result.outcome == apply::Outcome::pruned;
    const bool created = result.outcome == apply::Outcome::created;
    if (!pruned && !created && result.outcome != apply::Outcome::configured) {
      return;
    }
    const bool is_list = !pruned && result.index == apply::ObjectResult::k_no_input;
    const char* verb = pruned ? "delete" : created ? "create" : is_list ? "patch" : "apply";
    // Of one object, those before the last were refused.
    const std::span<const kube::ApiCall> calls(result.calls);
    for (const kube::ApiCall& call : is_list || calls.empty() ? calls : calls.last(1)) {
      m_work.writes().push_back(
          {verb,
           cat(result.api_version, ' ', result.ref.kind, '/', result.ref.ns,
               result.ref.ns.empty() ? "" : "/", result.ref.name),
           cluster(), "",
           m_work.world().keep_calls ? std::make_shared<const kube::ApiCall>(call) : nullptr});
    }
  }

  // What it waited for takes longer: it goes on at the next evaluation.
  util::Result<Did> failed(const util::Error& error) {
    if (error.kind == ErrorKind::not_ready || error.kind == ErrorKind::timeout) {
      m_alignment.outcome = Outcome::progressing;
      m_alignment.reason = "IstioInstalling";
      m_alignment.message = cat("installing Istio: ", error.message);
      m_alignment.requeue_after = k_look_again;
      m_alignment.children = true;
      return Did::something;
    }
    KUBIST_CHECK(hold(error));
    return Did::something;  // some of it may have been written
  }

  util::Result<Did> refused(const std::vector<istio::Obstacle>& obstacles) {
    const bool unknown =
        std::any_of(obstacles.begin(), obstacles.end(),
                    [](const istio::Obstacle& each) { return each.code.starts_with("unknown:"); });
    std::vector<std::string> texts;
    for (const istio::Obstacle& each : obstacles) {
      texts.push_back(cat(each.code, ": ", each.message));
    }
    return hold(util::make_error(unknown ? ErrorKind::unavailable : ErrorKind::invalid,
                                 cat("Istio is not installed: ", util::join(texts, "; ")), "",
                                 "IstioInstallRefused"));
  }

  /// The alignment gets the error with its outcome, reason and message.
  util::Result<Did> hold(const util::Error& error) {
    if (error.kind == ErrorKind::cancelled) {
      return util::fail(error);
    }
    const Alignment held = engine::alignment_of(error);
    m_alignment.outcome = held.outcome;
    m_alignment.reason = held.reason;
    m_alignment.message = held.message;
    m_alignment.error = held.error;
    m_alignment.children = true;
    return Did::nothing;
  }

  const Connection& m_connection;
  Work& m_work;
  const IstioWish& m_wish;
  Alignment& m_alignment;
};

void require_istio(const istio::Report& report, bool dry, Alignment& alignment) {
  if (report.ready || alignment.outcome != Outcome::ready) {
    return;
  }
  alignment.outcome = Outcome::progressing;
  alignment.reason = "IstioNotReady";
  alignment.message = cat("Istio is required: ", istio::summary(report));
  alignment.children = true;
  if (!dry) {  // nothing changes in a dry run
    alignment.requeue_after = k_look_again;
  }
}

}  // namespace

util::Result<std::shared_ptr<const istio::Evidence>> align_istio(const Connection& connection,
                                                                 Work& work, Alignment& alignment) {
  const IstioWish wish = istio_wish(work.context().graph, work.node(), work.spec());
  if (wish.mode == "Ignore") {
    alignment.status["istio"] = nullptr;
    return nullptr;
  }
  Connections& connections = work.world().connections;
  std::unique_lock<std::mutex> alone;
  if (wish.installs()) {
    alone = connections.lock_istio(connection);
  }
  KUBIST_TRY(auto evidence, connections.istio(connection, work.stop()));
  const auto judged = [&] {
    return judge_istio(*evidence, wish, work.node(), own_home_uid(work.world(), connection));
  };
  istio::Report report = judged();
  Did did = Did::nothing;
  if (wish.installs() && alignment.outcome == Outcome::ready) {
    KUBIST_TRY(did, IstioInstall(connection, work, wish, alignment).run(report));
  }
  if (did == Did::something) {
    Connections::forget_istio(connection.endpoint);
    KUBIST_TRY(evidence, connections.istio(connection, work.stop()));
    report = judged();
  }
  report_istio(report, alignment);
  if (wish.wanted() && did != Did::would_install) {
    require_istio(report, work.dry(), alignment);
  }
  return report.verdict == istio::Verdict::unknown ? nullptr : evidence;
}

}  // namespace kubist::executors
