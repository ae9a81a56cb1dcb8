// What is so of the admission webhooks.
#include <algorithm>
#include <set>

#include <kubist/util/text.hpp>

#include "evidence/injection.hpp"
#include "judge/advice.hpp"
#include "judge/model.hpp"

namespace kubist::istio {

using util::cat;

namespace {

// The certificates of a PEM text, each as its base64 without line breaks.
std::set<std::string> certificates(std::string_view pem) {
  constexpr std::string_view k_begin = "-----BEGIN CERTIFICATE-----";
  constexpr std::string_view k_end = "-----END CERTIFICATE-----";
  std::set<std::string> found;
  for (std::size_t at = pem.find(k_begin); at != pem.npos; at = pem.find(k_begin, at)) {
    at += k_begin.size();
    const std::size_t end = pem.find(k_end, at);
    if (end == pem.npos) {
      break;
    }
    std::string body;
    for (const char c : pem.substr(at, end - at)) {
      if (c != '\n' && c != '\r' && c != ' ' && c != '\t') {
        body += c;
      }
    }
    found.insert(std::move(body));
  }
  return found;
}

bool share_one(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& each) { return b.contains(each); });
}

void check_bundle(const Model& model, const RevisionView& revision, const WebhookConfig& config,
                  std::string_view kind, Findings& out) {
  std::vector<std::string> empty;
  std::vector<std::string> foreign;
  const auto roots = certificates(revision.config != nullptr ? revision.config->root_cert : "");
  for (const Webhook& webhook : config.webhooks) {
    // Without a bundle, URLs are checked against the API server's own roots.
    if (!webhook.name.ends_with(".istio.io") || model.points_nowhere(webhook) ||
        (!webhook.target.url.empty() && webhook.ca_bundle.empty())) {
      continue;
    }
    if (webhook.ca_bundle.empty()) {
      empty.push_back(webhook.name);
    } else if (!roots.empty() && !share_one(certificates(webhook.ca_bundle), roots)) {
      foreign.push_back(webhook.name);
    }
  }
  const Place place{revision.ns, "", std::string(kind)};
  if (!empty.empty()) {
    out.add("cabundle-empty", cat(kind, ' ', config.name, " has no caBundle in ", some_of(empty)),
            advice("cabundle-empty", place));
  }
  // With somebody else's certificates the two need not agree.
  if (!foreign.empty() && !revision.config->foreign_ca) {
    out.add("cabundle-mismatch",
            cat(kind, ' ', config.name, " trusts other certificates than ConfigMap ", revision.ns,
                "/istio-ca-root-cert has, in ", some_of(foreign)),
            advice("cabundle-mismatch", place));
  }
}

}  // namespace

void orphan_webhooks(const Model& model, const RevisionView& revision, Findings& out) {
  if (revision.plane != nullptr || !model.evidence.control_planes) {
    return;
  }
  const auto look = [&](const std::vector<const WebhookConfig*>& configs, const char* kind) {
    for (const WebhookConfig* config : configs) {
      const auto lost =
          std::find_if(config->webhooks.begin(), config->webhooks.end(),
                       [&](const Webhook& webhook) { return model.points_nowhere(webhook); });
      if (lost == config->webhooks.end()) {
        continue;
      }
      const char* effect = !lost->fail_closed ? "is passed over"
                           : std::string_view(kind) == "MutatingWebhookConfiguration"
                               ? "lets no pod be created where it applies"
                               : "lets no configuration of Istio be written";
      out.add(cat("orphan-webhook:", config->name),
              cat(kind, ' ', config->name, " points to Service ", lost->target.ns, '/',
                  lost->target.name, ", which does not exist; it ", effect),
              advice("orphan-webhook", {"", config->name, util::lower(kind)}));
    }
  };
  look(revision.injectors, "MutatingWebhookConfiguration");
  look(revision.validators, "ValidatingWebhookConfiguration");
}

void ca_bundles(const Model& model, const RevisionView& revision, Findings& out) {
  for (const WebhookConfig* config : revision.injectors) {
    check_bundle(model, revision, *config, "MutatingWebhookConfiguration", out);
  }
  for (const WebhookConfig* config : revision.validators) {
    check_bundle(model, revision, *config, "ValidatingWebhookConfiguration", out);
  }
}

void fail_open(const Model& model, const RevisionView& revision, Findings& out) {
  // istiod closes it after a self-test, some seconds after it is ready.
  constexpr std::chrono::minutes k_patience{2};
  if (revision.plane == nullptr || !revision.plane->available_since ||
      model.evidence.now - *revision.plane->available_since < k_patience) {
    return;
  }
  for (const WebhookConfig* config : revision.validators) {
    if (std::any_of(config->webhooks.begin(), config->webhooks.end(),
                    [](const Webhook& webhook) { return !webhook.fail_closed; })) {
      out.add("validator-fail-open",
              cat("ValidatingWebhookConfiguration ", config->name,
                  " still has failurePolicy Ignore although istiod is ready"),
              advice("validator-fail-open", {revision.ns, "", ""}));
    }
  }
}

void probe_failed(const Model&, const RevisionView& revision, Findings& out) {
  if (revision.plane == nullptr || revision.probe == nullptr) {
    return;
  }
  const Probe& probe = *revision.probe;
  const Place place{revision.ns, "", ""};
  if (probe.outcome == Probe::Outcome::unreachable) {
    out.add("probe-failed:unreachable",
            cat("the API server cannot call the webhook: ", probe.message),
            advice("probe-failed", place));
  } else if (probe.outcome == Probe::Outcome::not_consulted) {
    out.add("probe-failed:not-consulted",
            "a server dry run of a wrong Gateway was let through: the webhook was not called",
            advice("probe-failed", place));
  }
}

void overlapping_injectors(const Model& model, Findings& out) {
  const auto found =
      overlaps(items_of(model.evidence.injectors), items_of(model.evidence.namespaces));
  if (!found) {
    out.enter(Verdict::degraded, "");
    out.add("injectors-not-compared",
            "there are too many injectors, revisions and labels of namespaces to find two that "
            "inject the same pods",
            advice("injectors-not-compared"));
    return;
  }
  for (const Overlap& each : *found) {
    out.add("injector-overlap",
            cat(each.first, " and ", each.second, " both inject ", each.example),
            advice("injector-overlap"));
  }
}

}  // namespace kubist::istio
