#include <algorithm>
#include <array>
#include <set>

#include <kubist/istio/verdict.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "judge/advice.hpp"
#include "judge/model.hpp"

namespace kubist::istio {

using util::cat;

namespace {

// The decision table, in two parts. Within a verdict the order is that of the report.
constexpr std::array k_cluster_rules{
    ClusterRule{Verdict::unknown, unanswered},
    ClusterRule{Verdict::absent, nothing_there},
    ClusterRule{Verdict::leftover, crds_only},
    ClusterRule{Verdict::partial, missing_crds},
    ClusterRule{Verdict::partial, missing_node_agents},
    ClusterRule{Verdict::installing, crds_not_established},
    ClusterRule{Verdict::installing, node_agents_rolling},
    ClusterRule{Verdict::unhealthy, overlapping_injectors},
    ClusterRule{Verdict::unhealthy, node_agents_not_ready},
    ClusterRule{Verdict::unhealthy, sail_not_ready},
    ClusterRule{Verdict::degraded, namespace_labels},
    ClusterRule{Verdict::degraded, lost_proxies},
    ClusterRule{Verdict::degraded, pods_outside},
};
constexpr std::array k_revision_rules{
    RevisionRule{Verdict::leftover, orphan_webhooks},
    RevisionRule{Verdict::remote, control_plane_elsewhere},
    RevisionRule{Verdict::partial, missing_objects},
    RevisionRule{Verdict::installing, rolling_out},
    RevisionRule{Verdict::unhealthy, istiod_not_ready},
    RevisionRule{Verdict::unhealthy, ca_bundles},
    RevisionRule{Verdict::unhealthy, fail_open},
    RevisionRule{Verdict::unhealthy, probe_failed},
    RevisionRule{Verdict::degraded, proxy_skew},
    RevisionRule{Verdict::degraded, mixed_versions},
    RevisionRule{Verdict::outdated, unsupported},
};

bool probe_has_failed(const RevisionView& revision) {
  return revision.probe != nullptr && (revision.probe->outcome == Probe::Outcome::not_consulted ||
                                       revision.probe->outcome == Probe::Outcome::unreachable);
}

bool can_be_relied_on(Verdict verdict, bool probe_failed) {
  return verdict == Verdict::healthy || verdict == Verdict::outdated ||
         verdict == Verdict::degraded || (verdict == Verdict::remote && !probe_failed);
}

// Of several control planes the worst counts. The table's order says which that is, but a remote
// one that works hides nothing.
int badness(Verdict verdict, bool ready) {
  if (verdict == Verdict::remote) {
    return ready ? 1 : static_cast<int>(Verdict::healthy) - static_cast<int>(Verdict::unhealthy);
  }
  return verdict == Verdict::healthy
             ? 0
             : static_cast<int>(Verdict::healthy) - static_cast<int>(verdict);
}

RevisionReport describe(const RevisionView& revision) {
  RevisionReport report;
  report.name = revision.name;
  report.ns = revision.ns;
  report.version = revision.version;
  report.version_source = revision.version_source;
  report.tags = revision.tags;
  report.namespaces = revision.namespaces;
  report.proxies = revision.proxies.size();
  if (revision.plane != nullptr) {
    report.installer = revision.plane->installer;
    report.ambient = revision.plane->ambient;
    report.ready_replicas = revision.plane->ready;
    report.wanted_replicas = revision.plane->wanted;
  }
  return report;
}

// A webhook that fails closed and answers nobody hurts whether or not a namespace asks for it.
bool hurts(const Model& model, const RevisionView& revision) {
  const auto all = revision.webhooks();
  return revision.plane == nullptr && std::any_of(all.begin(), all.end(), [&](const Webhook* each) {
           return each->fail_closed && model.points_nowhere(*each);
         });
}

enum class UsedBy { nobody, projects, cluster };

/// The namespaces whose members write what is there.
std::set<std::string_view> namespaces_of_projects(const Evidence& evidence) {
  std::set<std::string_view> names;
  for (const NamespaceLabels& each : items_of(evidence.namespaces)) {
    if (!each.owner.empty() && !resources::is_reserved_namespace(each.name)) {
      names.insert(each.name);
    }
  }
  return names;
}

class Judge {
 public:
  Judge(const Model& model, const Scope& scope)
      : m_model(model), m_scope(scope), m_projects(namespaces_of_projects(model.evidence)) {}

  Report run() {
    m_report.kubernetes_version = m_model.evidence.kubernetes_version;
    m_report.support_as_of = m_model.support.as_of;
    m_report.verdict = Verdict::healthy;
    m_report.ready = true;
    judge_cluster();
    judge_revisions();
    find_in_scope();
    sort();
    take_notes();
    return std::move(m_report);
  }

 private:
  void judge_cluster() {
    Findings out(m_report.findings);
    for (const ClusterRule& rule : k_cluster_rules) {
      out.enter(rule.verdict, "");
      rule.look(m_model, out);
    }
    for (const Finding& finding : m_report.findings) {
      worsen(finding.verdict, can_be_relied_on(finding.verdict, false));
    }
  }

  UsedBy used_by(const RevisionView& revision) const {
    UsedBy used = UsedBy::nobody;
    const auto note = [&](std::string_view ns) {
      used = std::max(used, m_projects.contains(ns) ? UsedBy::projects : UsedBy::cluster);
    };
    std::ranges::for_each(revision.namespaces, note);
    std::ranges::for_each(revision.proxies, [&](const Proxy* each) { note(each->ns); });
    return used;
  }

  // What a member's pod asks for is no matter of others, where they use another.
  void judge_revisions() {
    const auto& all = m_model.revisions;
    UsedBy most = UsedBy::nobody;
    for (const RevisionView& revision : all) {
      most = revision.in_scope ? std::max(most, used_by(revision)) : most;
    }
    for (const RevisionView& revision : all) {
      if (!revision.in_scope) {
        continue;
      }
      const std::size_t first = m_report.findings.size();
      Findings out(m_report.findings);
      for (const RevisionRule& rule : k_revision_rules) {
        out.enter(rule.verdict, revision.name);
        rule.look(m_model, revision, out);
      }
      RevisionReport report = describe(revision);
      report.verdict = unread(m_model.evidence).empty() ? Verdict::healthy : Verdict::unknown;
      for (std::size_t at = first; at < m_report.findings.size(); ++at) {
        const Verdict found = m_report.findings[at].verdict;
        const bool sooner = static_cast<int>(found) < static_cast<int>(report.verdict);
        report.verdict = at == first || sooner ? found : report.verdict;
      }
      report.ready = can_be_relied_on(report.verdict, probe_has_failed(revision));
      const UsedBy used = used_by(revision);
      report.counts = used == most || hurts(m_model, revision);
      if (report.counts) {
        take_version(report);
        worsen(report.verdict, report.ready);
      } else if (used == UsedBy::projects && !report.ready) {
        for (std::size_t at = first; at < m_report.findings.size(); ++at) {
          m_report.findings[at].verdict =
              std::max(m_report.findings[at].verdict, Verdict::degraded);
        }
        worsen(Verdict::degraded, true);
      }
      m_report.revisions.push_back(std::move(report));
    }
  }

  // The version of the control plane that decides; the first one's where all are well.
  void take_version(const RevisionReport& report) {
    if (m_report.revision.empty() ||
        badness(report.verdict, report.ready) > badness(m_report.verdict, m_report.ready)) {
      m_report.version = report.version;
      m_report.revision = report.name;
    }
  }

  void find_in_scope() {
    if (m_report.revisions.empty() && !m_model.revisions.empty() &&
        m_report.verdict != Verdict::unknown) {
      Findings out(m_report.findings);
      out.enter(Verdict::absent, m_scope.revision);
      out.add("absent",
              cat("there is no control plane",
                  m_scope.revision.empty() ? "" : cat(" of revision ", m_scope.revision),
                  m_scope.ns.empty() ? "" : cat(" in namespace ", m_scope.ns)),
              advice("absent"));
      m_report.verdict = Verdict::absent;
      m_report.ready = false;
    }
  }

  void worsen(Verdict verdict, bool ready) {
    if (badness(verdict, ready) > badness(m_report.verdict, m_report.ready)) {
      m_report.verdict = verdict;
    }
    m_report.ready = m_report.ready && ready;
  }

  void sort() {
    const auto rank = [&](const Finding& finding) {
      return std::pair(finding.verdict != m_report.verdict, static_cast<int>(finding.verdict));
    };
    std::stable_sort(m_report.findings.begin(), m_report.findings.end(),
                     [&](const Finding& a, const Finding& b) { return rank(a) < rank(b); });
  }

  void take_notes() {
    const Evidence& evidence = m_model.evidence;
    for (const RevisionReport& revision : m_report.revisions) {
      const auto version = parse_version(revision.version);
      if (!version) {
        m_report.notes.push_back(
            cat("the version of revision ", revision.name,
                " is not known: its image has no release's tag; neither is its support"));
      } else if (m_model.support.find(version->minor) == nullptr &&
                 !m_model.support.older_than_all(version->minor)) {
        m_report.notes.push_back(cat(version->major, '.', version->minor,
                                     " is newer than the table of supported releases, of ",
                                     m_model.support.as_of));
      }
    }
    if (evidence.proxies && evidence.proxies->cut) {
      m_report.notes.push_back(
          cat("only the first ", evidence.proxies->proxies.size(), " proxies were checked"));
    }
    if (evidence.remote_clusters > 0) {
      m_report.notes.push_back(cat("a primary of ", evidence.remote_clusters, " remote clusters"));
    }
    for (const Probe& probe : evidence.probes) {
      if (probe.outcome == Probe::Outcome::not_run) {
        m_report.notes.push_back(
            cat("the webhook of revision ", probe.revision, " was not probed: ", probe.message));
      }
    }
    for (const Unread& each : evidence.optional_unread) {
      m_report.notes.push_back(cat("not known: ", each.message));
    }
  }

  const Model& m_model;
  const Scope& m_scope;
  const std::set<std::string_view> m_projects;
  Report m_report;
};

}  // namespace

Report judge(const Evidence& evidence, const Scope& scope, const SupportTable& support) {
  const Model model = make_model(evidence, scope, support);
  return Judge(model, scope).run();
}

}  // namespace kubist::istio
