// What is so of the workloads in the mesh.
#include <map>

#include <kubist/data/pointer.hpp>
#include <kubist/istio/labels.hpp>
#include <kubist/istio/read.hpp>
#include <kubist/util/text.hpp>

#include "evidence/injection.hpp"
#include "judge/advice.hpp"
#include "judge/model.hpp"

namespace kubist::istio {

using util::cat;

void proxy_skew(const Model& model, const RevisionView& revision, Findings& out) {
  const auto own = parse_version(revision.version);
  if (!own) {
    return;
  }
  std::map<std::string, std::vector<std::string>> wrong;  // by version
  std::string ns;
  for (const Proxy* proxy : revision.proxies) {
    const auto version = parse_version(proxy->version);
    if (version && (version->major != own->major || version->minor > own->minor ||
                    version->minor < own->minor - model.support.proxy_lag)) {
      wrong[proxy->version].push_back(cat(proxy->ns, '/', proxy->pod));
      ns = ns.empty() ? proxy->ns : ns;
    }
  }
  for (const auto& [version, pods] : wrong) {
    out.add("skew",
            cat(pods.size(), " of ", revision.proxies.size(), " proxies run ", version, ", istiod ",
                revision.version, ": ", some_of(pods)),
            advice("skew", {ns, "", ""}), pods);
  }
}

void namespace_labels(const Model& model, Findings& out) {
  const auto& injectors = items_of(model.evidence.injectors);
  const Injection injection(injectors);
  for (const NamespaceLabels& each : items_of(model.evidence.namespaces)) {
    const std::string_view legacy = data::string_at(each.labels, {k_injection_label});
    const std::string_view revision = data::string_at(each.labels, {k_revision_label});
    const Place place{"", each.name, ""};
    if (!legacy.empty() && !revision.empty()) {
      out.add(cat("conflicting-labels:", each.name),
              cat("namespace ", each.name, " has both istio-injection=", legacy,
                  " and istio.io/rev=", revision),
              advice("conflicting-labels", place), {each.name});
    }
    if (membership(each.labels) != Membership::injection || injectors.empty() ||
        !injection.takers(each.labels).empty()) {
      continue;
    }
    if (legacy.empty() && model.revision_of(revision) == nullptr) {
      out.add(cat("dangling-rev-label:", each.name),
              cat("namespace ", each.name, " asks for revision ", revision,
                  ", which does not exist: its pods get no proxy"),
              advice("dangling-rev-label", place), {each.name});
    } else {
      out.add(cat("no-injector:", each.name),
              cat("namespace ", each.name, " asks for injection, but no webhook serves its labels"),
              advice("no-injector", place), {each.name});
    }
  }
}

void pods_outside(const Model& model, Findings& out) {
  for (const Members& each : model.evidence.members) {
    const Place place{"", each.ns, ""};
    if (!each.without_proxy.empty()) {
      out.add(cat("not-injected:", each.ns),
              cat(each.without_proxy.size(), " of ", each.pods, " pods in namespace ", each.ns,
                  " have no proxy: ", some_of(each.without_proxy)),
              advice("not-injected", place), {each.ns});
    }
    if (!each.half_captured.empty()) {
      out.add(cat("half-captured:", each.ns),
              cat(each.half_captured.size(), " of ", each.pods, " pods in namespace ", each.ns,
                  " are not yet captured by ztunnel: ", some_of(each.half_captured)),
              advice("half-captured", place), {each.ns});
    }
  }
}

void lost_proxies(const Model& model, Findings& out) {
  if (!model.evidence.proxies || model.revisions.empty()) {
    return;
  }
  std::map<std::string, std::vector<std::string>> lost;  // by revision
  for (const Proxy& proxy : model.evidence.proxies->proxies) {
    if (model.revision_of(proxy.revision) == nullptr) {
      lost[proxy.revision].push_back(cat(proxy.ns, '/', proxy.pod));
    }
  }
  for (const auto& [revision, pods] : lost) {
    out.add(cat("lost-proxies:", revision),
            cat(pods.size(), " proxies were made by revision ", revision,
                ", which does not exist: ", some_of(pods)),
            advice("lost-proxies"), pods);
  }
}

}  // namespace kubist::istio
