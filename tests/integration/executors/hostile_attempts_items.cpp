// Objects of manifest items: of kinds, in namespaces, and under names that are not a member's.
#include <kubist/util/text.hpp>

#include "hostile_attempts.hpp"

namespace it::hostile {
namespace {

const std::string k_admin =
    "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}, "
    "subjects: [{kind: ServiceAccount, name: kubist-project, namespace: PROJECT}]}";
const std::string k_rbac = "{apiVersion: rbac.authorization.k8s.io/v1, ";
const std::string k_hooks =
    "webhooks: [{name: all.example.com, clientConfig: {url: 'https://example.com'}, sideEffects: "
    "None, failurePolicy: Ignore, admissionReviewVersions: [v1], rules: [{apiGroups: [''], "
    "apiVersions: [v1], operations: [CREATE], resources: [secrets]}]}]}";

/// An object of no other field, named PROJECT-esc.
std::string bare(const std::string& version, const std::string& kind,
                 const std::string& more = {}) {
  return "{apiVersion: " + version + ", kind: " + kind + ", metadata: {name: PROJECT-esc}" +
         (more.empty() ? "" : ", " + more) + "}";
}

std::string map_in(const std::string& ns) {
  return "{apiVersion: v1, kind: ConfigMap, metadata: {name: PROJECT-esc, namespace: " + ns + "}}";
}

std::string export_of(const std::string& from, const std::string& more = {}) {
  return "exports: {exports: [{key: taken, jsonPath: .data, fromResource: {" + from + "}" + more +
         "}]}";
}

/// Of an export: a map for each of its parts, one in the other.
std::string deep_key() {
  std::string key = "a";
  for (int part = 0; part < 20'000; ++part) {
    key += ".a";
  }
  return key;
}

std::string check_of(const std::string& from) {
  return "readinessChecks: {custom: [{name: peek, resourceSelector: [{" + from +
         "}], requirements: [{jsonPath: .data, operator: exists}]}]}";
}

std::vector<Attempt> kinds() {
  const std::string no = "KindNotAllowed";
  return {
      writes("binding",
             k_rbac + "kind: ClusterRoleBinding, metadata: {name: PROJECT-esc}, " + k_admin, no,
             {"clusterrolebinding//PROJECT-esc"}),
      writes("role",
             k_rbac + "kind: ClusterRole, metadata: {name: PROJECT-esc}, rules: [{apiGroups: "
                      "['*'], resources: ['*'], verbs: ['*']}]}",
             no, {"clusterrole//PROJECT-esc"}),
      writes("aggregated",
             k_rbac + "kind: ClusterRole, metadata: {name: PROJECT-view, labels: "
                      "{rbac.authorization.k8s.io/aggregate-to-view: 'true'}}, rules: []}",
             no, {"clusterrole//PROJECT-view"}),
      writes("system-binding",
             k_rbac +
                 "kind: RoleBinding, metadata: {name: PROJECT-esc, namespace: "
                 "kube-system}, " +
                 k_admin,
             no, {"rolebinding/kube-system/PROJECT-esc"}),
      writes("own-binding", k_rbac + "kind: RoleBinding, metadata: {name: esc}, " + k_admin, no,
             {"rolebinding/PROJECT/esc"}),
      writes_in_dev("dev-binding", k_rbac + "kind: RoleBinding, metadata: {name: esc}, " + k_admin,
                    no, {"rolebinding/DEV/esc"}),
      writes("project-binding",
             k_rbac + "kind: RoleBinding, metadata: {name: kubist-project}, " + k_admin, no),
      writes("node", bare("v1", "Node"), no, {"node//PROJECT-esc"}),
      writes("volume",
             bare("v1", "PersistentVolume",
                  "spec: {capacity: {storage: 1Gi}, accessModes: "
                  "[ReadWriteOnce], hostPath: {path: /}}"),
             no, {"persistentvolume//PROJECT-esc"}),
      writes("storage", bare("storage.k8s.io/v1", "StorageClass", "provisioner: none"), no,
             {"storageclass//PROJECT-esc"}),
      writes("priority", bare("scheduling.k8s.io/v1", "PriorityClass", "value: 1000000"), no,
             {"priorityclass//PROJECT-esc"}),
      writes("runtime", bare("node.k8s.io/v1", "RuntimeClass", "handler: none"), no,
             {"runtimeclass//PROJECT-esc"}),
      writes(
          "crd",
          "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: "
          "escs.PROJECT.example.com}, spec: {group: PROJECT.example.com, scope: Cluster, names: "
          "{kind: "
          "Esc, plural: escs}, versions: [{name: v1, served: true, storage: true, schema: "
          "{openAPIV3Schema: {type: object}}}]}}",
          no, {"customresourcedefinition//escs.PROJECT.example.com"}),
      writes("mutating",
             "{apiVersion: admissionregistration.k8s.io/v1, kind: "
             "MutatingWebhookConfiguration, metadata: {name: PROJECT-esc}, " +
                 k_hooks,
             no, {"mutatingwebhookconfiguration//PROJECT-esc"}),
      writes("validating",
             "{apiVersion: admissionregistration.k8s.io/v1, kind: "
             "ValidatingWebhookConfiguration, metadata: {name: PROJECT-esc}, " +
                 k_hooks,
             no, {"validatingwebhookconfiguration//PROJECT-esc"}),
      writes("apiservice",
             "{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: "
             "v1.PROJECT.example.com}, spec: {group: PROJECT.example.com, version: v1, "
             "groupPriorityMinimum: 1, versionPriority: 1, insecureSkipTLSVerify: true, service: "
             "{name: "
             "x, namespace: PROJECT}}}",
             no, {"apiservice//v1.PROJECT.example.com"}),
      writes("signing",
             bare("certificates.k8s.io/v1", "CertificateSigningRequest",
                  "spec: {request: eA==, signerName: kubernetes.io/kube-apiserver-client, "
                  "usages: [client auth]}"),
             no, {"certificatesigningrequest//PROJECT-esc"}),
      writes("flow",
             bare("flowcontrol.apiserver.k8s.io/v1", "FlowSchema",
                  "spec: "
                  "{priorityLevelConfiguration: {name: exempt}}"),
             no, {"flowschema//PROJECT-esc"}),
      writes("lease",
             "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: esc}, spec: "
             "{holderIdentity: me, leaseDurationSeconds: 3600}}",
             no, {"lease/PROJECT/esc"}),
      writes(
          "quota",
          "{apiVersion: v1, kind: ResourceQuota, metadata: {name: esc}, spec: {hard: {pods: 0}}}",
          no, {"resourcequota/PROJECT/esc"}),
      // The Project allows the kind, and nobody gave its account the right.
      writes("granted", bare("networking.k8s.io/v1", "IngressClass"), "Forbidden|OwnRights",
             {"ingressclass//PROJECT-esc"}, By::either),
      writes("namespace", bare("v1", "Namespace"), no, {"namespace//PROJECT-esc"}),
      writes("project", bare("kubist.io/v1alpha1", "Project"), no,
             {"projects.kubist.io//PROJECT-esc"}),
      writes("own-project",
             "{apiVersion: kubist.io/v1alpha1, kind: Project, metadata: {name: PROJECT}, "
             "spec: {home: {namespaces: ['kube-*']}}}",
             no),
      writes("root", bare("kubist.io/v1alpha1", "Root"), no, {"roots.kubist.io//PROJECT-esc"}),
      writes("approval",
             "{apiVersion: kubist.io/v1alpha1, kind: Approval, metadata: {name: esc}, spec: {}}",
             no, {"approvals.kubist.io/PROJECT/esc"}),
      writes("policy",
             bare("kubist.io/v1alpha1", "ClusterPolicyDefinition",
                  "spec: {runtime: {jsonnet: {source: 'function(x) x'}}}"),
             no, {"clusterpolicydefinitions.kubist.io//PROJECT-esc"}),
      writes("executor",
             bare("kubist.io/v1alpha1", "ExecutorDefinition",
                  "spec: {runtime: {jsonnet: {source: 'function(x) x'}}}"),
             no, {"executordefinitions.kubist.io//PROJECT-esc"}),
      writes("item",
             "{apiVersion: landscaper.gardener.cloud/v1alpha1, kind: DeployItem, metadata: {name: "
             "esc}, spec: {type: kubist.io/mock}}",
             no, {"deployitems.landscaper.gardener.cloud/PROJECT/esc"}),
      writes("list",
             "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: ConfigMap, metadata: "
             "{name: esc}}, " +
                 bare("v1", "Namespace") + "]}",
             no, {"namespace//PROJECT-esc", "configmap/PROJECT/esc"}),
      writes("kept", "{policy: keep, manifest: " + bare("v1", "Namespace") + "}", no,
             {"namespace//PROJECT-esc"}),
      writes("fallback", "{policy: fallback, manifest: " + bare("v1", "Namespace") + "}", no,
             {"namespace//PROJECT-esc"}),
      {"DeployItem",
       "text",
       "{type: kubist.io/manifest, timeout: 10s, config: {yaml: \"apiVersion: v1\\nkind: "
       "Namespace\\nmetadata: {name: PROJECT-esc}\\n\"}}",
       no,
       {"namespace//PROJECT-esc"}}};
}

std::vector<Attempt> namespaces() {
  const std::string no = "NamespaceNotAllowed";
  std::vector<Attempt> all;
  for (const char* ns : {"kube-system", "kube-public", "kube-node-lease", "default", "OTHER",
                         "OTHER-dev", "PROJECT-account"}) {
    all.push_back(writes(kubist::util::lower(std::string("in-") + ns), map_in(ns), no,
                         {std::string("configmap/") + ns + "/PROJECT-esc"}));
  }
  all.push_back(writes_in_dev("dev-to-system", map_in("kube-system"), no,
                              {"configmap/kube-system/PROJECT-esc"}));
  all.push_back(
      writes("in-dots", map_in("'..'"), "NamespaceNotAllowed|InvalidConfiguration|InvalidSpec"));
  all.push_back(writes("in-pool", map_in("PROJECT-pool-theirs"), "Forbidden|OwnRights",
                       {"configmap/PROJECT-pool-theirs/PROJECT-esc"}, By::either));
  all.push_back({"DeployItem",
                 "no-target",
                 "{type: kubist.io/manifest, timeout: 10s, target: {name: dev, namespace: OTHER}, "
                 "config: {manifests: [" +
                     map_in("OTHER-dev") + "]}}",
                 no,
                 {"configmap/OTHER-dev/PROJECT-esc"}});
  return all;
}

std::vector<Attempt> readings() {
  const std::string here = "apiVersion: v1, kind: Secret, name: ";
  const std::string there =
      "apiVersion: v1, kind: ConfigMap, name: extension-apiserver-authentication, "
      "namespace: kube-system";
  return {
      reads("read-secret", export_of(here + "private"), "Forbidden|SecretNotAllowed",
            {"secret/PROJECT/private"}),
      reads("read-other", export_of(here + "keys, namespace: OTHER"), "NamespaceNotAllowed"),
      reads("read-system", export_of(there), "NamespaceNotAllowed"),
      reads("read-node", export_of("apiVersion: v1, kind: Namespace, name: kube-system"),
            "Forbidden|KindNotAllowed|OwnRights"),
      reads("read-deep", kubist::util::replace_all(export_of(here + "x"), "taken", deep_key()),
            "InvalidConfiguration"),
      reads("read-dot", export_of(here + "'.'"), "Invalid|Forbidden"),
      reads("read-dots", export_of(here + "'..'"), "Invalid|Forbidden"),
      reads("read-slash", export_of(here + "'../configmaps/x'"), "Invalid|Forbidden"),
      reads("read-query", export_of(here + "'x?watch=true'"), "Invalid|Forbidden|ExportsMissing"),
      reads("read-up", export_of(here + "x, namespace: '..'"), "NamespaceNotAllowed|InvalidSpec"),
      reads(
          "read-referred",
          "exports: {exports: [{key: taken, jsonPath: .data, fromResource: {apiVersion: v1, kind: "
          "ConfigMap, name: pointer}, fromObjectRef: {apiVersion: v1, kind: Secret, jsonPath: "
          ".data}}]}",
          "NamespaceNotAllowed"),
      reads("check-system", check_of(there), "NamespaceNotAllowed"),
      reads("check-secret", check_of(here + "private"), "Forbidden|SecretNotAllowed",
            {"secret/PROJECT/private"}),
      reads("check-labels",
            "readinessChecks: {custom: [{name: peek, labelSelector: {apiVersion: v1, kind: Secret, "
            "matchLabels: {for: people}}, requirements: [{jsonPath: .data, operator: exists}]}]}",
            "Forbidden|SecretNotAllowed", {"secret/PROJECT/for=people"})};
}

std::vector<Attempt> names() {
  const auto map = [](const std::string& metadata) {
    return "{apiVersion: v1, kind: ConfigMap, metadata: {" + metadata + "}, data: {by: item}}";
  };
  return {
      {"DeployItem", "db", "{type: kubist.io/mock, config: {export: {port: 1}}}", "NameTaken"},
      writes("over-map", map("name: foreign"), "NameTaken"),
      writes("over-kept", "{policy: keep, manifest: " + map("name: foreign") + "}", "NameTaken"),
      writes("over-account",
             "{apiVersion: v1, kind: ServiceAccount, metadata: {name: kubist-project}, "
             "automountServiceAccountToken: true}",
             "NameTaken|Forbidden"),
      writes("mark", map("name: mark, annotations: {kubist.io/owner: x}"), "ObjectNotAllowed",
             {"configmap/PROJECT/mark"}),
      writes("internal", map("name: mark, labels: {kubist.io/internal: 'true'}"),
             "ObjectNotAllowed", {"configmap/PROJECT/mark"}),
      writes("finalizer", map("name: mark, finalizers: [kubist.io/in-use]"), "ObjectNotAllowed",
             {"configmap/PROJECT/mark"}),
      writes("before-delete",
             "{policy: manage, manifest: " + map("name: mark") +
                 ", patchBeforeDelete: {metadata: {finalizers: null}}}",
             "ObjectNotAllowed", {"configmap/PROJECT/mark"}),
      writes("secret", "{apiVersion: v1, kind: Secret, metadata: {name: esc}, data: {a: Yg==}}",
             "Forbidden", {"secret/PROJECT/esc"}, By::server),
      writes("account", "{apiVersion: v1, kind: ServiceAccount, metadata: {name: esc}}",
             "Forbidden", {"serviceaccount/PROJECT/esc"}, By::server),
      writes("workload",
             "{apiVersion: apps/v1, kind: Deployment, metadata: {name: esc}, spec: {selector: "
             "{matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: "
             "{containers: [{name: c, image: 'localhost/busybox:1'}]}}}}",
             "Forbidden", {"deployment/PROJECT/esc"}, By::server),
      writes("job",
             "{apiVersion: batch/v1, kind: Job, metadata: {name: esc}, spec: {template: {spec: "
             "{restartPolicy: Never, containers: [{name: c, image: 'localhost/busybox:1'}]}}}}",
             "Forbidden", {"job/PROJECT/esc"}, By::server),
      writes("pod",
             "{apiVersion: v1, kind: Pod, metadata: {name: esc}, spec: {containers: [{name: c, "
             "image: 'localhost/busybox:1'}]}}",
             "Forbidden", {"pod/PROJECT/esc"}, By::server),
      writes("claim",
             "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: esc}, spec: "
             "{accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}",
             "Forbidden", {"persistentvolumeclaim/PROJECT/esc"}, By::server)};
}

/// Requests of others, by hosts and addresses.
std::vector<Attempt> reach() {
  const auto ingress = [](const std::string& name, const std::string& rules) {
    return writes_in_dev(
        name,
        "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: esc}, spec: {" + rules +
            "}}",
        "HostNotAllowed", {"ingress/DEV/esc"});
  };
  const std::string to = "service: {name: foreign, port: {number: 80}}";
  return {ingress("ingress-bank",
                  "rules: [{host: www.bank.example.com, http: {paths: [{path: /, "
                  "pathType: Prefix, backend: {" +
                      to + "}}]}}]"),
          ingress("ingress-any", "defaultBackend: {" + to + "}"),
          writes_in_dev("dns-host",
                        "{apiVersion: v1, kind: Service, metadata: {name: esc, annotations: "
                        "{external-dns.alpha.kubernetes.io/hostname: www.bank.example.com}}, spec: "
                        "{ports: [{port: 80}]}}",
                        "HostNotAllowed", {"service/DEV/esc"}),
          writes_in_dev("external-ip",
                        "{apiVersion: v1, kind: Service, metadata: {name: esc}, spec: {ports: "
                        "[{port: 80}], externalIPs: [8.8.8.8]}}",
                        "ObjectNotAllowed", {"service/DEV/esc"})};
}

}  // namespace

std::vector<Attempt> object_attempts() {
  std::vector<Attempt> all = kinds();
  for (const auto& more : {namespaces(), readings(), names(), reach()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace it::hostile
