// What is so of one istiod.
#include <algorithm>
#include <set>

#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "judge/advice.hpp"
#include "judge/model.hpp"

namespace kubist::istio {

using util::cat;

namespace {

constexpr std::string_view k_root_namespace = "istio-system";

std::string injector_name(const RevisionView& revision) {
  const std::string name = with_revision("istio-sidecar-injector", revision.name);
  return revision.ns == k_root_namespace ? name : cat(name, '-', revision.ns);
}

void missing(Findings& out, std::string_view kind, std::string_view name,
             std::string_view why = {}) {
  const std::string code = cat("missing:", kind, '/', name);
  out.add(code, cat("there is no ", kind, ' ', name, why.empty() ? "" : ", ", why), advice(code));
}

void missing_webhooks(const Model& model, const RevisionView& revision, Findings& out) {
  const bool made_by_operator = revision.config != nullptr && revision.config->operator_webhooks;
  const bool validates = revision.config == nullptr || revision.config->validates;
  // A tag's injector by itself does not serve pods that name the revision.
  const bool injects = std::any_of(revision.injectors.begin(), revision.injectors.end(),
                                   [](const WebhookConfig* config) { return config->tag.empty(); });
  if (model.evidence.injectors && !injects && !made_by_operator) {
    missing(out, "MutatingWebhookConfiguration", injector_name(revision),
            "so no pod is injected by this revision");
  }
  const std::string own = cat(with_revision("istio-validator", revision.name), '-', revision.ns);
  const bool checks = std::any_of(revision.validators.begin(), revision.validators.end(),
                                  [&](const WebhookConfig* config) { return config->name == own; });
  if (model.evidence.validators && validates && !checks) {
    missing(out, "ValidatingWebhookConfiguration", own, "so configuration is not checked");
  }
}

void missing_roles(const Model& model, const RevisionView& revision, Findings& out) {
  const auto& roles = model.evidence.cluster_roles;
  const auto& bindings = model.evidence.cluster_role_bindings;
  for (const bool required : {true, false}) {
    const std::string base = required ? "istiod-clusterrole" : "istiod-gateway-controller";
    const std::string name = cat(with_revision(base, revision.name), '-', revision.ns);
    const bool role = roles && roles->contains(name);
    const bool binding = bindings && bindings->contains(name);
    // The gateway controller can be left out; half of it is a mistake.
    if (roles && !role && (required || binding)) {
      missing(out, "ClusterRole", name);
    }
    if (bindings && !binding && (required || role)) {
      missing(out, "ClusterRoleBinding", name);
    }
  }
}

// Why nobody answers behind the Service: a reason.
std::string reason_not_ready(const RevisionView& revision, std::string& detail) {
  const ControlPlane& plane = *revision.plane;
  if (auto zero = scaled_to_zero(plane)) {
    detail = *std::move(zero);
    return std::string(k_scaled_to_zero.substr(k_scaled_to_zero.find(':') + 1));
  }
  for (const IstiodPod* pod : revision.pods) {
    if (!pod->waiting.empty()) {
      detail = cat("pod ", pod->ns, '/', pod->name, ": ", pod->waiting,
                   pod->message.empty() ? "" : ": ", pod->message);
      return pod->waiting;
    }
  }
  if (plane.progress_failed) {
    detail =
        cat("Deployment ", plane.ns, '/', plane.name, " has not progressed in time: ", plane.ready,
            " of ", plane.wanted, " replicas are ready");
    return plane.progress_reason.empty() ? "ProgressDeadlineExceeded" : plane.progress_reason;
  }
  return {};
}

bool any_endpoint_ready(const RevisionView& revision) {
  return std::any_of(revision.services.begin(), revision.services.end(),
                     [](const ControlService* service) { return service->ready_endpoints > 0; });
}

}  // namespace

std::optional<std::string> scaled_to_zero(const ControlPlane& plane) {
  return plane.wanted == 0
             ? std::optional(cat("Deployment ", plane.ns, '/', plane.name, " is scaled to 0"))
             : std::nullopt;
}

void control_plane_elsewhere(const Model&, const RevisionView& revision, Findings& out) {
  if (!revision.remote()) {
    return;
  }
  std::string where;
  for (const ControlService* service : revision.services) {
    where = cat("Service ", service->ns, '/', service->name, " leads to ",
                service->external_name.empty() ? "endpoints outside" : service->external_name);
  }
  for (const Webhook* webhook : revision.webhooks()) {
    if (!webhook->target.url.empty()) {
      where = cat("webhook ", webhook->name, " calls ", webhook->target.url);
    }
  }
  out.add("remote-istiod", cat("no istiod runs here; ", where), advice("remote-istiod"));
  if (revision.probe != nullptr && revision.probe->outcome != Probe::Outcome::works &&
      revision.probe->outcome != Probe::Outcome::not_run) {
    out.add("probe-failed", cat("the dry run was not refused: ", revision.probe->message),
            advice("probe-failed", {revision.ns, "", ""}));
  }
}

void missing_objects(const Model& model, const RevisionView& revision, Findings& out) {
  if (revision.remote()) {
    return;
  }
  if (revision.plane == nullptr) {
    if (model.evidence.control_planes) {
      missing(out, "Deployment", with_revision("istiod", revision.name),
              cat("but its webhooks or its Service are there (namespace ", revision.ns, ")"));
    }
    return;
  }
  const std::string service = with_revision("istiod", revision.name);
  if (model.evidence.services && model.service(revision.ns, service) == nullptr) {
    missing(out, "Service", service, "so nobody reaches istiod");
  }
  missing_webhooks(model, revision, out);
  if (revision.config != nullptr && !revision.config->mesh_config) {
    missing(out, "ConfigMap", with_revision("istio", revision.name));
  }
  if (revision.config != nullptr && !revision.config->injector_config) {
    missing(out, "ConfigMap", with_revision("istio-sidecar-injector", revision.name));
  }
  missing_roles(model, revision, out);
}

void rolling_out(const Model&, const RevisionView& revision, Findings& out) {
  if (revision.plane == nullptr) {
    return;
  }
  const ControlPlane& plane = *revision.plane;
  const bool unseen = plane.generation > plane.observed_generation;
  // Once a rollout is complete, the same condition stays True with this reason.
  const bool progressing = !plane.progress_failed && !plane.progress_reason.empty() &&
                           plane.progress_reason != "NewReplicaSetAvailable";
  if (unseen || (plane.wanted > 0 && progressing)) {
    out.add("rolling-out", cat("Deployment ", plane.ns, '/', plane.name, " is being rolled out"),
            advice("rolling-out", {plane.ns, plane.name, ""}));
  }
}

void istiod_not_ready(const Model& model, const RevisionView& revision, Findings& out) {
  if (revision.plane == nullptr) {
    return;
  }
  std::string detail;
  std::string reason = reason_not_ready(revision, detail);
  if (reason.empty() && model.evidence.services && !any_endpoint_ready(revision)) {
    reason = "no-endpoints";
    detail = cat("no ready endpoint behind Service ", revision.ns, '/',
                 with_revision("istiod", revision.name));
  }
  if (!reason.empty()) {
    const std::string code = cat("istiod-not-ready:", reason);
    out.add(code, detail, advice(code, {revision.ns, revision.plane->name, ""}));
  }
}

void mixed_versions(const Model&, const RevisionView& revision, Findings& out) {
  std::set<std::string> versions;
  for (const IstiodPod* pod : revision.pods) {
    if (!pod->image_version.empty()) {
      versions.insert(pod->image_version);
    }
  }
  if (versions.size() > 1) {
    out.add("mixed-versions",
            cat("istiod pods of one revision run ",
                util::join({versions.begin(), versions.end()}, " and ")),
            advice("mixed-versions", {revision.ns, with_revision("istiod", revision.name), ""}));
  }
}

void unsupported(const Model& model, const RevisionView& revision, Findings& out) {
  const auto version = parse_version(revision.version);
  if (!version) {
    return;
  }
  const SupportTable& table = model.support;
  const std::string today = util::format_time(model.evidence.now).substr(0, 10);
  const Release* release = table.find(version->minor);
  const std::string minor = cat(version->major, '.', version->minor);
  if (version->minor < table.oldest_minor) {
    out.add(
        "eol",
        cat(minor, " is older than 1.", table.oldest_minor, ", the oldest that kubist is made for"),
        advice("eol"));
  } else if (table.older_than_all(version->minor)) {
    out.add("eol", cat(minor, " is no longer supported"), advice("eol"));
  } else if (release != nullptr && !release->end_of_life.empty() && release->end_of_life < today) {
    out.add("eol",
            cat("support of ", minor, " ended on ", release->end_of_life, " (as known on ",
                table.as_of, ")"),
            advice("eol"));
  }
  if (release == nullptr) {
    return;
  }
  if (const auto newest = parse_version(release->newest); newest && *version < *newest) {
    out.add("patch-available", cat(revision.version, " runs, ", release->newest, " is out"),
            advice("patch-available", {"", release->newest, ""}));
  }
  const int kubernetes = model.evidence.kubernetes_minor;
  const bool too_old = kubernetes > 0 && release->kubernetes_min > kubernetes;
  const bool too_new = release->kubernetes_max > 0 && release->kubernetes_max < kubernetes;
  if (too_old || too_new) {
    out.add("k8s-unsupported",
            cat("Istio ", minor, " is made for Kubernetes 1.", release->kubernetes_min, " to ",
                release->kubernetes_max > 0 ? cat("1.", release->kubernetes_max) : "later",
                ", this is ", model.evidence.kubernetes_version),
            advice("k8s-unsupported"));
  }
}

}  // namespace kubist::istio
