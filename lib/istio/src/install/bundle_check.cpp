#include "install/bundle_check.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/istio/evidence.hpp>
#include <kubist/istio/read.hpp>
#include <kubist/istio/versions.hpp>
#include <kubist/util/text.hpp>

namespace kubist::istio {

using resources::Manifest;
using resources::ObjectView;
using util::cat;
using util::ErrorKind;

namespace {

struct KindRow {
  std::string_view group, kind;
};

// All that the charts base, istiod, cni, ztunnel and gateway can render, with OpenShift's.
constexpr std::array k_kinds{
    KindRow{"", "Namespace"},
    KindRow{"", "ServiceAccount"},
    KindRow{"", "ConfigMap"},
    KindRow{"", "Service"},
    KindRow{"", "ResourceQuota"},
    KindRow{"apiextensions.k8s.io", "CustomResourceDefinition"},
    KindRow{"apps", "Deployment"},
    KindRow{"apps", "DaemonSet"},
    KindRow{"autoscaling", "HorizontalPodAutoscaler"},
    KindRow{"policy", "PodDisruptionBudget"},
    KindRow{"networking.k8s.io", "NetworkPolicy"},
    KindRow{"discovery.k8s.io", "EndpointSlice"},
    KindRow{"rbac.authorization.k8s.io", "ClusterRole"},
    KindRow{"rbac.authorization.k8s.io", "ClusterRoleBinding"},
    KindRow{"rbac.authorization.k8s.io", "Role"},
    KindRow{"rbac.authorization.k8s.io", "RoleBinding"},
    KindRow{"admissionregistration.k8s.io", "MutatingWebhookConfiguration"},
    KindRow{"admissionregistration.k8s.io", "ValidatingWebhookConfiguration"},
    KindRow{"admissionregistration.k8s.io", "ValidatingAdmissionPolicy"},
    KindRow{"admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"},
    KindRow{"k8s.cni.cncf.io", "NetworkAttachmentDefinition"},
};

constexpr std::string_view k_cut = "Is it cut short? Render it again, and give its sha256.";

util::Result<> check_kind(const Manifest& manifest) {
  const ObjectView view(manifest.object);
  if (!belongs_to_istio(view.group(), view.kind())) {
    return util::fail(
        ErrorKind::invalid, manifest.position("/kind"),
        cat(resources::to_string(view.ref()), " is no part of an installation of Istio"),
        "Apply it by itself: kubist apply -f FILE");
  }
  if (view.kind() == "CustomResourceDefinition" && !view.name().ends_with(".istio.io")) {
    return util::fail(ErrorKind::invalid, manifest.position("/metadata/name"),
                      cat("CRD ", view.name(), " is not one of Istio's"),
                      "Apply it by itself: kubist apply -f FILE");
  }
  return {};
}

class Checker {
 public:
  Checker(std::string origin, const Expected& expected)
      : m_origin(std::move(origin)), m_expected(expected) {}

  util::Result<> check(Bundle& bundle) {
    for (const Manifest& manifest : bundle.manifests) {
      KUBIST_CHECK(check_kind(manifest));
      KUBIST_CHECK(check_once(manifest));
      KUBIST_CHECK(take_istiod(manifest, bundle));
    }
    KUBIST_CHECK(check_complete(bundle));
    return check_expected(bundle);
  }

 private:
  util::Result<> check_once(const Manifest& manifest) {
    const std::string key = resources::to_key(ObjectView(manifest.object).ref());
    if (!m_seen.insert(key).second) {
      return util::fail(ErrorKind::invalid, manifest.position(""), cat(key, " is there twice"));
    }
    return {};
  }

  util::Result<> take_istiod(const Manifest& manifest, Bundle& bundle) {
    const ObjectView view(manifest.object);
    if (view.kind() != "Deployment" || view.label("app") != "istiod") {
      return {};
    }
    if (m_istiod != nullptr) {
      return util::fail(ErrorKind::invalid, manifest.position("/metadata/name"),
                        cat("a second istiod, ", view.name(), ": install one revision at a time"));
    }
    m_istiod = &manifest;
    if (data::find(manifest.object, "/spec/template/spec/containers/0/image") == nullptr) {
      return util::fail(ErrorKind::invalid, manifest.position("/spec"),
                        cat("Deployment ", view.name(), " has no container"), std::string(k_cut));
    }
    const ControlPlane plane = read_control_plane(manifest.object);
    bundle.version = plane.image_version;
    bundle.revision = plane.revision;
    bundle.ns = plane.ns;
    return {};
  }

  // YAML that ends between two documents is whole YAML.
  util::Result<> check_complete(Bundle& bundle) const {
    if (m_istiod == nullptr) {
      return util::fail(ErrorKind::invalid,
                        cat(m_origin, " has no Deployment of istiod (label app=istiod)"),
                        "Is it cut short, or another chart's output?");
    }
    const std::string rbac = "rbac.authorization.k8s.io";
    const std::string cluster_role =
        cat(with_revision("istiod-clusterrole", bundle.revision), '-', bundle.ns);
    const std::vector<resources::ObjectRef> needed{
        {"", "ServiceAccount", bundle.ns, with_revision("istiod", bundle.revision)},
        {"", "Service", bundle.ns, with_revision("istiod", bundle.revision)},
        {"", "ConfigMap", bundle.ns, with_revision("istio", bundle.revision)},
        {rbac, "ClusterRole", "", cluster_role},
        {rbac, "ClusterRoleBinding", "", cluster_role}};
    for (const resources::ObjectRef& ref : needed) {
      if (!m_seen.contains(resources::to_key(ref))) {
        return util::fail(ErrorKind::invalid,
                          cat(m_origin, " has istiod, but no ", resources::to_string(ref)),
                          std::string(k_cut));
      }
    }
    return check_webhooks(bundle);
  }

  // They are the last of all where the order is that of an apply. The values say whether there are
  // any.
  util::Result<> check_webhooks(Bundle& bundle) const {
    RevisionConfig config;
    const auto has = [&](std::string_view kind) {
      return std::any_of(
          bundle.manifests.begin(), bundle.manifests.end(),
          [&](const Manifest& each) { return ObjectView(each.object).kind() == kind; });
    };
    for (const Manifest& manifest : bundle.manifests) {
      const ObjectView view(manifest.object);
      if (view.kind() == "ConfigMap" && view.name() == with_revision("values", bundle.revision)) {
        read_values(manifest.object, config);
      }
    }
    bundle.foreign_ca = config.foreign_ca;
    for (const auto& [kind, wanted] :
         {std::pair{"MutatingWebhookConfiguration", !config.operator_webhooks},
          std::pair{"ValidatingWebhookConfiguration", config.validates}}) {
      if (wanted && !has(kind)) {
        return util::fail(ErrorKind::invalid, cat(m_origin, " has istiod, but no ", kind),
                          std::string(k_cut));
      }
    }
    return {};
  }

  util::Result<> check_expected(const Bundle& bundle) const {
    const auto wanted = parse_version(m_expected.version);
    if (!m_expected.version.empty() && (!wanted || wanted != parse_version(bundle.version))) {
      return util::fail(ErrorKind::invalid,
                        m_istiod->position("/spec/template/spec/containers/0/image"),
                        cat("these are the manifests of Istio ",
                            bundle.version.empty() ? "of an unknown version" : bundle.version,
                            ", not of ", m_expected.version));
    }
    if (!m_expected.revision.empty() && m_expected.revision != bundle.revision) {
      return util::fail(ErrorKind::invalid, m_istiod->position("/metadata/labels"),
                        cat("these are the manifests of revision ", bundle.revision, ", not of ",
                            m_expected.revision));
    }
    return {};
  }

  std::string m_origin;
  const Expected& m_expected;
  std::set<std::string> m_seen;
  const Manifest* m_istiod = nullptr;
};

}  // namespace

bool belongs_to_istio(std::string_view group, std::string_view kind) {
  return group.ends_with(".istio.io") ||
         std::any_of(k_kinds.begin(), k_kinds.end(),
                     [&](const KindRow& row) { return row.group == group && row.kind == kind; });
}

util::Result<> check_bundle(Bundle& bundle, const std::string& origin, const Expected& expected) {
  return Checker(origin, expected).check(bundle);
}

}  // namespace kubist::istio
