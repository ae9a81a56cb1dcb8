#include <algorithm>
#include <cstdlib>

#include <kubist/data/pointer.hpp>
#include <kubist/istio/preflight.hpp>
#include <kubist/istio/read.hpp>
#include <kubist/util/text.hpp>

#include "evidence/injection.hpp"
#include "judge/advice.hpp"
#include "judge/model.hpp"

namespace kubist::istio {

using resources::Manifest;
using resources::ObjectView;
using util::cat;

namespace {

class Preflight {
 public:
  Preflight(const Bundle& bundle, const Evidence& evidence, const SupportTable& support,
            const PreflightOptions& options)
      : m_bundle(bundle), m_evidence(evidence), m_support(support), m_options(options) {}

  std::vector<Obstacle> run() {
    for (const Unread& each : unread(m_evidence)) {
      add(cat("unknown:", each.code), each.message,
          "what is there must be known before something is put beside it");
    }
    check_kubernetes();
    for (const ControlPlane& live : items_of(m_evidence.control_planes)) {
      if (live.revision == m_bundle.revision && live.ns == m_bundle.ns) {
        check_live(live);
      }
    }
    check_overlap();
    check_namespaces();
    return std::move(m_found);
  }

 private:
  void add(std::string code, std::string message, std::string next) {
    const bool told = std::any_of(m_found.begin(), m_found.end(),
                                  [&](const Obstacle& each) { return each.code == code; });
    if (!told) {
      m_found.push_back({std::move(code), std::move(message), std::move(next)});
    }
  }

  void check_kubernetes() {
    const auto version = parse_version(m_bundle.version);
    const Release* release = version ? m_support.find(version->minor) : nullptr;
    const int minor = m_evidence.kubernetes_minor;
    // A newer Kubernetes than was tested mostly works; an older one lacks what the release needs.
    if (release != nullptr && minor > 0 && minor < release->kubernetes_min) {
      add("k8s-unsupported",
          cat("Istio ", m_bundle.version, " needs Kubernetes 1.", release->kubernetes_min,
              ", this is ", m_evidence.kubernetes_version),
          "upgrade Kubernetes, or install an older Istio");
    }
  }

  void check_live(const ControlPlane& live) {
    if (!m_options.adopt && !live.installer.empty() && live.installer != "kubist") {
      add(cat("foreign-owner:", live.installer),
          cat("istiod ", live.ns, '/', live.name, " was installed by ", live.installer),
          cat("keep to ", live.installer, ", or take it over with --adopt"));
    }
    const auto from = parse_version(live.image_version);
    const auto to = parse_version(m_bundle.version);
    if (from && to && (from->major != to->major || std::abs(from->minor - to->minor) > 1)) {
      add("version-jump",
          cat(live.image_version, " runs: in place, ", m_bundle.version,
              " is more than one minor version away"),
          "go one minor version at a time, or install it as a new revision");
    }
    for (const Manifest& manifest : m_bundle.manifests) {
      const ObjectView view(manifest.object);
      if (view.kind() != "Deployment" || view.ns() != live.ns || view.name() != live.name) {
        continue;
      }
      check_scale(manifest, live);
      if (!live.selector.is_null() &&
          read_control_plane(manifest.object).selector != live.selector) {
        add("selector-changed",
            cat("the selector of Deployment ", live.ns, '/', live.name,
                " differs, and Kubernetes lets none change"),
            "install it as a new revision, or delete that Deployment first");
      }
    }
  }

  // Manifests without `replicas` leave it to who scales: istiod would be waited for without
  // success.
  void check_scale(const Manifest& manifest, const ControlPlane& live) {
    const auto zero = scaled_to_zero(live);
    if (zero && !(m_options.rescale && live.installer == "kubist") &&
        data::int_at(manifest.object, {"spec", "replicas"}) == 0) {
      add(std::string(k_scaled_to_zero), cat(*zero, ", and the manifests do not scale it"),
          cat(advice(k_scaled_to_zero, {live.ns, live.name, ""}), ", then run this again"));
    }
  }

  // What is there, with the bundle's own in place of those of the same names.
  void check_overlap() {
    std::vector<WebhookConfig> injectors;
    for (const Manifest& manifest : m_bundle.manifests) {
      if (ObjectView(manifest.object).kind() == "MutatingWebhookConfiguration") {
        if (auto config = read_webhook_config(manifest.object)) {
          injectors.push_back(std::move(*config));
        }
      }
    }
    const std::size_t own = injectors.size();
    for (const WebhookConfig& live : items_of(m_evidence.injectors)) {
      if (std::none_of(injectors.begin(), injectors.begin() + static_cast<std::ptrdiff_t>(own),
                       [&](const WebhookConfig& each) { return each.name == live.name; })) {
        injectors.push_back(live);
      }
    }
    const auto found = overlaps(injectors, items_of(m_evidence.namespaces));
    if (!found) {
      add("unknown:injector-overlap", "there are too many injectors to compare them",
          advice("injectors-not-compared"));
      return;
    }
    for (const Overlap& each : *found) {
      add("injector-overlap",
          cat(each.first, " and ", each.second, " would both inject ", each.example),
          "install it as a revision, or remove the other injector first");
    }
  }

  void check_namespaces() {
    for (const NamespaceLabels& each : items_of(m_evidence.namespaces)) {
      const bool used = std::any_of(
          m_bundle.manifests.begin(), m_bundle.manifests.end(),
          [&](const Manifest& manifest) { return ObjectView(manifest.object).ns() == each.name; });
      if (each.terminating && used) {
        add(cat("namespace-terminating:", each.name),
            cat("namespace ", each.name, " is being deleted"),
            cat("kubist get namespace ", each.name,
                " -o yaml says what keeps it; wait until it is gone"));
      }
    }
  }

  const Bundle& m_bundle;
  const Evidence& m_evidence;
  const SupportTable& m_support;
  const PreflightOptions& m_options;
  std::vector<Obstacle> m_found;
};

}  // namespace

util::Error refusal(const std::vector<Obstacle>& obstacles) {
  const bool conflict = std::any_of(obstacles.begin(), obstacles.end(), [](const Obstacle& each) {
    return each.code.starts_with("foreign-owner:");
  });
  util::Error error = util::make_error(
      conflict ? util::ErrorKind::conflict : util::ErrorKind::invalid,
      cat("nothing was written: ", obstacles.size(),
          obstacles.size() == 1 ? " thing stands" : " things stand", " in the way"));
  for (const Obstacle& each : obstacles) {
    error.details.push_back(util::make_error(
        error.kind, cat(util::printable(each.code), ": ", util::printable(each.message)),
        util::printable(each.next)));
  }
  return error;
}

std::vector<Obstacle> find_obstacles(const Bundle& bundle, const Evidence& evidence,
                                     const SupportTable& support, const PreflightOptions& options) {
  return Preflight(bundle, evidence, support, options).run();
}

}  // namespace kubist::istio
