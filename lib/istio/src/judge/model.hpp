#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/istio/evidence.hpp>
#include <kubist/istio/verdict.hpp>

namespace kubist::istio {

/// One control plane with all that belongs to it: what the rules look at. Points into the evidence.
struct RevisionView {
  std::string name, ns;
  const ControlPlane* plane = nullptr;
  std::vector<const WebhookConfig*> injectors, validators;
  std::vector<const ControlService*> services;
  std::vector<const IstiodPod*> pods;
  std::vector<const Proxy*> proxies;
  const RevisionConfig* config = nullptr;
  const Probe* probe = nullptr;
  std::vector<std::string> tags;
  std::vector<std::string> namespaces;  ///< whose pods it injects or captures
  std::string version, version_source;
  bool in_scope = true;

  std::vector<const Webhook*> webhooks() const;
  /// It has no Deployment here, and a webhook or Service points elsewhere.
  bool remote() const;
};

struct Model {
  const Evidence& evidence;
  const SupportTable& support;
  std::vector<RevisionView> revisions;  ///< all, also those out of scope

  const ControlService* service(const std::string& ns, const std::string& name) const;
  /// Does a webhook point to a Service that does not exist?
  bool points_nowhere(const Webhook& webhook) const;
  /// The control plane of a revision or tag; null where there is none.
  const RevisionView* revision_of(std::string_view revision_or_tag) const;
};

Model make_model(const Evidence& evidence, const Scope& scope, const SupportTable& support);

/// Collects what the rules of one row of the table find.
class Findings {
 public:
  explicit Findings(std::vector<Finding>& out) : m_out(out) {}
  void enter(Verdict verdict, std::string revision) {
    m_verdict = verdict;
    m_revision = std::move(revision);
  }
  void add(std::string code, std::string evidence, std::string next,
           std::vector<std::string> about = {}) {
    m_out.push_back({m_verdict, std::move(code), std::move(evidence), std::move(next), m_revision,
                     std::move(about)});
  }

 private:
  std::vector<Finding>& m_out;
  Verdict m_verdict = Verdict::unknown;
  std::string m_revision;
};

/// One condition of one row; tables of them are the decision table.
struct ClusterRule {
  Verdict verdict;
  void (*look)(const Model& model, Findings& out);
};
struct RevisionRule {
  Verdict verdict;
  void (*look)(const Model& model, const RevisionView& revision, Findings& out);
};

// rules_cluster.cpp
void unanswered(const Model& model, Findings& out);
void nothing_there(const Model& model, Findings& out);
void crds_only(const Model& model, Findings& out);
void missing_crds(const Model& model, Findings& out);
void missing_node_agents(const Model& model, Findings& out);
void crds_not_established(const Model& model, Findings& out);
void node_agents_rolling(const Model& model, Findings& out);
void node_agents_not_ready(const Model& model, Findings& out);
void sail_not_ready(const Model& model, Findings& out);

// rules_control_plane.cpp
void control_plane_elsewhere(const Model& model, const RevisionView& revision, Findings& out);
void missing_objects(const Model& model, const RevisionView& revision, Findings& out);
void rolling_out(const Model& model, const RevisionView& revision, Findings& out);
void istiod_not_ready(const Model& model, const RevisionView& revision, Findings& out);
void mixed_versions(const Model& model, const RevisionView& revision, Findings& out);
void unsupported(const Model& model, const RevisionView& revision, Findings& out);

// rules_webhooks.cpp
void orphan_webhooks(const Model& model, const RevisionView& revision, Findings& out);
void ca_bundles(const Model& model, const RevisionView& revision, Findings& out);
void fail_open(const Model& model, const RevisionView& revision, Findings& out);
void probe_failed(const Model& model, const RevisionView& revision, Findings& out);
void overlapping_injectors(const Model& model, Findings& out);

// rules_data_plane.cpp
void proxy_skew(const Model& model, const RevisionView& revision, Findings& out);
void namespace_labels(const Model& model, Findings& out);
void pods_outside(const Model& model, Findings& out);
void lost_proxies(const Model& model, Findings& out);

/// The code of an istiod that is scaled to 0, and what says so: however long one waits, it does not
/// come. Nothing for any other.
inline constexpr std::string_view k_scaled_to_zero = "istiod-not-ready:scaled-to-0";
std::optional<std::string> scaled_to_zero(const ControlPlane& plane);

/// "a, b, c and 4 more".
std::string some_of(const std::vector<std::string>& names, std::size_t most = 3);

}  // namespace kubist::istio
