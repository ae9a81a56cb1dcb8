// What is so of a cluster as a whole.
#include <algorithm>
#include <array>

#include <kubist/istio/read.hpp>
#include <kubist/util/text.hpp>

#include "judge/advice.hpp"
#include "judge/model.hpp"

namespace kubist::istio {

using util::cat;

namespace {

struct KnownCrd {
  std::string_view name;
  int since;  ///< minor version; 0: all that kubist knows
};

// manifests/charts/base/files/crd-all.gen.yaml: 14 up to 1.29, 15 since 1.30.
constexpr std::array k_crds{
    KnownCrd{"wasmplugins.extensions.istio.io", 0},
    KnownCrd{"trafficextensions.extensions.istio.io", 30},
    KnownCrd{"destinationrules.networking.istio.io", 0},
    KnownCrd{"envoyfilters.networking.istio.io", 0},
    KnownCrd{"gateways.networking.istio.io", 0},
    KnownCrd{"proxyconfigs.networking.istio.io", 0},
    KnownCrd{"serviceentries.networking.istio.io", 0},
    KnownCrd{"sidecars.networking.istio.io", 0},
    KnownCrd{"virtualservices.networking.istio.io", 0},
    KnownCrd{"workloadentries.networking.istio.io", 0},
    KnownCrd{"workloadgroups.networking.istio.io", 0},
    KnownCrd{"authorizationpolicies.security.istio.io", 0},
    KnownCrd{"peerauthentications.security.istio.io", 0},
    KnownCrd{"requestauthentications.security.istio.io", 0},
    KnownCrd{"telemetries.telemetry.istio.io", 0},
};

// The CRDs are one set for all revisions: that of the newest.
int newest_minor(const Model& model) {
  int newest = 0;
  for (const RevisionView& revision : model.revisions) {
    if (const auto version = parse_version(revision.version)) {
      newest = std::max(newest, version->minor);
    }
  }
  return newest;
}

bool has_agent(const Model& model, NodeAgent::Kind kind) {
  const auto& agents = items_of(model.evidence.node_agents);
  return std::any_of(agents.begin(), agents.end(),
                     [&](const NodeAgent& agent) { return agent.kind == kind; });
}

enum class AmbientFor { nobody, projects, cluster };

/// Who wants ambient mode: what a member wants of it is no matter of others.
AmbientFor ambient(const Model& model) {
  const auto& all = model.revisions;
  AmbientFor wanted = std::any_of(all.begin(), all.end(),
                                  [](const RevisionView& each) {
                                    return each.plane != nullptr && each.plane->ambient;
                                  })
                          ? AmbientFor::cluster
                          : AmbientFor::nobody;
  for (const NamespaceLabels& each : items_of(model.evidence.namespaces)) {
    if (membership(each.labels) == Membership::ambient) {
      wanted = std::max(wanted, each.owner.empty() ? AmbientFor::cluster : AmbientFor::projects);
    }
  }
  return wanted;
}

std::string_view agent_word(const NodeAgent& agent) {
  return agent.kind == NodeAgent::Kind::cni ? "cni" : "ztunnel";
}

}  // namespace

// One line a code: a server that is down leaves every question open for the same reason.
void unanswered(const Model& model, Findings& out) {
  const std::vector<Unread> all = unread(model.evidence);
  std::vector<std::string> told;
  for (const Unread& each : all) {
    if (std::find(told.begin(), told.end(), each.code) != told.end()) {
      continue;
    }
    told.push_back(each.code);
    const auto same = std::count_if(all.begin(), all.end(),
                                    [&](const Unread& other) { return other.code == each.code; });
    out.add(each.code,
            same > 1 ? cat(each.message, " (and ", same - 1, " more questions)") : each.message,
            advice(each.code, {"", each.resource, ""}));
  }
}

void nothing_there(const Model& model, Findings& out) {
  const Evidence& evidence = model.evidence;
  if (unread(evidence).empty() && !evidence.api_served && items_of(evidence.crds).empty() &&
      model.revisions.empty() && items_of(evidence.node_agents).empty() &&
      items_of(evidence.sail).empty()) {
    out.add("absent",
            "no CRD, control plane, Service, webhook or DaemonSet of Istio, and no object of Sail",
            advice("absent"));
  }
}

void crds_only(const Model& model, Findings& out) {
  const Evidence& evidence = model.evidence;
  const auto& crds = items_of(evidence.crds);
  if ((crds.empty() && !evidence.api_served) || !model.revisions.empty() ||
      !items_of(evidence.node_agents).empty() || !items_of(evidence.sail).empty()) {
    return;
  }
  out.add("crds-only", cat(crds.size(), " CRDs of Istio, but no control plane and no webhook"),
          advice("crds-only"));
}

void missing_crds(const Model& model, Findings& out) {
  // A cluster whose control plane runs elsewhere needs none.
  if (!model.evidence.crds || items_of(model.evidence.control_planes).empty()) {
    return;
  }
  const int minor = newest_minor(model);
  for (const KnownCrd& known : k_crds) {
    const auto& crds = *model.evidence.crds;
    const bool there = std::any_of(crds.begin(), crds.end(),
                                   [&](const Crd& crd) { return crd.name == known.name; });
    if (!there && known.since <= minor) {
      const std::string code = cat("missing:CustomResourceDefinition/", known.name);
      out.add(code, cat("there is no CRD ", known.name), advice(code));
    }
  }
}

void missing_node_agents(const Model& model, Findings& out) {
  const auto demand = [&](NodeAgent::Kind kind, const char* name, const char* why) {
    if (model.evidence.node_agents && !has_agent(model, kind)) {
      const std::string code = cat("missing:DaemonSet/", name);
      out.add(code, cat("there is no DaemonSet ", name, ", ", why), advice(code));
    }
  };
  if (model.revisions.empty() && !items_of(model.evidence.node_agents).empty() &&
      model.evidence.control_planes) {
    out.add("missing:Deployment/istiod", "DaemonSets of Istio run, but there is no control plane",
            advice("missing:Deployment"));
  }
  if (const AmbientFor wanted = ambient(model); wanted != AmbientFor::nobody) {
    if (wanted == AmbientFor::projects) {
      out.enter(Verdict::degraded, "");
    }
    demand(NodeAgent::Kind::cni, "istio-cni-node", "which ambient mode needs");
    demand(NodeAgent::Kind::ztunnel, "ztunnel", "which ambient mode needs");
  }
}

void crds_not_established(const Model& model, Findings& out) {
  // Longer than this it is no longer on its way: unhealthy.
  constexpr std::chrono::minutes k_patience{5};
  for (const Crd& crd : items_of(model.evidence.crds)) {
    if (!crd.established) {
      const bool young = crd.created && model.evidence.now - *crd.created < k_patience;
      out.enter(young ? Verdict::installing : Verdict::unhealthy, "");
      out.add("crd-not-established", cat("CRD ", crd.name, " is not served: ", crd.reason),
              advice("crd-not-established", {"", crd.name, ""}));
    }
  }
}

void node_agents_rolling(const Model& model, Findings& out) {
  for (const NodeAgent& agent : items_of(model.evidence.node_agents)) {
    if (agent.rolling) {
      const std::string code = cat(agent_word(agent), "-rolling-out");
      out.add(code, cat("DaemonSet ", agent.ns, '/', agent.name, " is being rolled out"),
              advice(code, {agent.ns, agent.name, ""}));
    }
  }
}

void node_agents_not_ready(const Model& model, Findings& out) {
  for (const NodeAgent& agent : items_of(model.evidence.node_agents)) {
    if (agent.ready < agent.wanted) {
      const std::string code =
          cat(agent_word(agent), "-not-ready:", agent.ready, '/', agent.wanted);
      out.add(code,
              cat("DaemonSet ", agent.ns, '/', agent.name, " is ready on ", agent.ready, " of ",
                  agent.wanted, " nodes"),
              advice(code, {agent.ns, agent.name, ""}));
    }
  }
  const auto& tainted = items_of(model.evidence.tainted_nodes);
  if (!tainted.empty()) {
    out.add(cat("cni-tainted:", tainted.size()),
            cat("nodes take no pods until the CNI plugin is there: ", some_of(tainted)),
            advice("cni-tainted"));
  }
}

void sail_not_ready(const Model& model, Findings& out) {
  for (const SailObject& object : items_of(model.evidence.sail)) {
    if (!object.ready) {
      const std::string state = object.state.empty() ? "unknown" : object.state;
      out.add(cat("sail-not-ready:", object.kind, '/', object.name),
              cat(object.kind, ' ', object.name, " of the Sail operator is not ready: ", state),
              advice("sail-not-ready", {object.ns, object.name, object.kind}));
    }
  }
}

}  // namespace kubist::istio
