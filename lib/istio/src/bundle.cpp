#include <algorithm>
#include <array>
#include <set>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/istio/bundle.hpp>
#include <kubist/istio/evidence.hpp>
#include <kubist/istio/read.hpp>
#include <kubist/istio/versions.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

namespace kubist::istio {

using data::Json;
using resources::Manifest;
using resources::ObjectView;
using util::cat;
using util::ErrorKind;
namespace fs = std::filesystem;

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

bool is_manifest_file(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

// The files of a folder in name order, or the file itself.
util::Result<std::vector<fs::path>> files_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    return std::vector<fs::path>{path};
  }
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_regular_file(error) && is_manifest_file(entry->path())) {
      files.push_back(entry->path());
    }
  }
  if (error) {
    return util::fail(ErrorKind::invalid, cat(path.string(), ": ", error.message()));
  }
  if (files.empty()) {
    return util::fail(ErrorKind::invalid, cat(path.string(), " has no .yaml, .yml or .json file"));
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct Texts {
  std::vector<std::pair<std::string, std::string>> files;  // name, text
  std::string sha256;
};

util::Result<Texts> read_texts(const fs::path& path) {
  KUBIST_TRY(const auto files, files_of(path));
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  Texts texts;
  std::string lines;
  std::size_t left = k_max_bundle_bytes;
  for (const fs::path& file : files) {
    const auto size = fs::file_size(file, error);
    if (!error && size > left) {
      return util::fail(ErrorKind::invalid,
                        cat(path.string(), " has more than ", k_max_bundle_bytes >> 20U,
                            " MB of manifests: that is no installation of Istio"),
                        "Name the file that istioctl manifest generate or helm template printed.");
    }
    KUBIST_TRY(std::string text, util::read_file(file, left + 1));
    left -= std::min(left, text.size());
    lines += cat(util::sha256_hex(text), "  ", file.filename().string(), '\n');
    texts.sha256 = util::sha256_hex(text);
    texts.files.emplace_back(file.string(), std::move(text));
  }
  if (folder) {
    texts.sha256 = util::sha256_hex(lines);
  }
  return texts;
}

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

util::Result<Bundle> make_bundle(std::vector<std::pair<std::string, std::string>> files,
                                 const std::string& origin, const Expected& expected) {
  Bundle bundle;
  std::vector<util::Error> errors;
  for (auto& [name, text] : files) {
    resources::ManifestSet set = resources::read_manifest_text(text, name);
    std::move(set.manifests.begin(), set.manifests.end(), std::back_inserter(bundle.manifests));
    std::move(set.errors.begin(), set.errors.end(), std::back_inserter(errors));
  }
  if (!errors.empty()) {
    return util::fail(data::combine_errors(std::move(errors), origin));
  }
  KUBIST_CHECK(Checker(origin, expected).check(bundle));
  return bundle;
}

}  // namespace

bool belongs_to_istio(std::string_view group, std::string_view kind) {
  return group.ends_with(".istio.io") ||
         std::any_of(k_kinds.begin(), k_kinds.end(),
                     [&](const KindRow& row) { return row.group == group && row.kind == kind; });
}

util::Result<std::string> source_sha256(const fs::path& path) {
  KUBIST_TRY(Texts texts, read_texts(path));
  return std::move(texts.sha256);
}

util::Result<Bundle> read_bundle(const Source& source, const Expected& expected) {
  KUBIST_TRY(Texts texts, read_texts(source.path));
  if (!source.sha256.empty() && util::lower(source.sha256) != texts.sha256) {
    return util::fail(
        ErrorKind::invalid,
        cat(source.path.string(), " has the SHA-256 ", texts.sha256, ", not ", source.sha256),
        "Somebody changed it, or it was not copied as a whole.");
  }
  KUBIST_TRY(Bundle bundle, make_bundle(std::move(texts.files), source.path.string(), expected));
  bundle.sha256 = std::move(texts.sha256);
  return bundle;
}

util::Result<Bundle> read_bundle_text(std::string_view text, const std::string& origin,
                                      const Expected& expected) {
  if (text.size() > k_max_bundle_bytes) {
    return util::fail(ErrorKind::invalid, cat(origin, " has more than ", k_max_bundle_bytes >> 20U,
                                              " MB: no installation of Istio"));
  }
  KUBIST_TRY(Bundle bundle, make_bundle({{origin, std::string(text)}}, origin, expected));
  bundle.sha256 = util::sha256_hex(text);
  return bundle;
}

Json without_istiod_fields(Json object, const WebhookConfig* live, bool keep_bundle) {
  const std::string_view kind = ObjectView(object).kind();
  if (kind != "MutatingWebhookConfiguration" && kind != "ValidatingWebhookConfiguration") {
    return object;
  }
  const auto webhooks = object.find("webhooks");
  if (webhooks == object.end() || !webhooks->is_array()) {
    return object;
  }
  for (Json& webhook : *webhooks) {
    const std::string_view name = data::string_at(webhook, {"name"});
    const auto is_closed = [&](const Webhook& each) {
      return each.fail_closed && each.name == name;
    };
    const bool closed =
        live != nullptr && std::any_of(live->webhooks.begin(), live->webhooks.end(), is_closed);
    if (closed || data::string_at(webhook, {"failurePolicy"}) == "Fail") {
      data::erase_path(webhook, {"failurePolicy"});
    }
    if (!keep_bundle) {
      data::erase_path(webhook, {"clientConfig", "caBundle"});
    }
  }
  return object;
}

}  // namespace kubist::istio
