// VirtualClusters that are somebody else's namespaces, and Clusters that are no clusters.
#include "hostile_attempts.hpp"

namespace it::hostile {
namespace {

Attempt place(const std::string& name, const std::string& ns, const std::string& reasons,
              const std::string& more = {}, const Words& never = {}) {
  return {"VirtualCluster", name,
          "{clusterRef: {name: second}, namespace: '" + ns + "'" + (more.empty() ? "" : ", ") +
              more + "}",
          reasons, never};
}

std::vector<Attempt> virtual_clusters() {
  const std::string no = "NamespaceNotAllowed";
  const Words no_new{"namespace//PROJECT-pool-new"};
  const auto labelled = [&](const std::string& name, const std::string& field) {
    return place(name, "PROJECT-pool-new", "LabelNotAllowed", field, no_new);
  };
  const auto by_policy = [&](const std::string& name, const std::string& patch,
                             const std::string& reasons) {
    return place(name, "PROJECT-pool-new", reasons,
                 "policies: [{name: JsonPatch, parameters: {" + patch + "}}]", no_new);
  };
  // The pattern lets it take the namespace over; nothing that is in it becomes the project's.
  Attempt adopted =
      place("v-adopt", "PROJECT-pool-theirs", "RoleNotBound|Forbidden|NamespaceTaken|OwnRights",
            "adopt: true", {"rolebinding/PROJECT-pool-theirs/kubist-project"});
  return {place("v-system", "kube-system", no, "adopt: true"),
          place("v-default", "default", no, "adopt: true"),
          place("v-istio", "istio-system", no, "adopt: true"),
          place("v-other", "OTHER", no, "adopt: true"),
          place("v-other-dev", "OTHER-dev", no, "adopt: true"),
          place("v-near", "PROJECTx", no, {}, {"namespace//PROJECTx"}),
          place("v-account", "PROJECT-account", no, "adopt: true"),
          place("v-own", "PROJECT", "NamespaceTaken|NamespaceNotAllowed", "adopt: true",
                {"rolebinding/PROJECT/esc"}),
          place("v-second", "DEV", "NamespaceTaken", "adopt: true"),
          place("v-there", "PROJECT-pool-theirs", "NamespaceExists|NamespaceTaken|Forbidden"),
          adopted,
          place("v-delete", "PROJECT-pool-theirs", "DeletionNotAllowed|Forbidden|NamespaceTaken",
                "adopt: true, deletionPolicy: Delete"),
          labelled("v-security", "labels: {pod-security.kubernetes.io/enforce: privileged}"),
          labelled("v-node", "annotations: {scheduler.alpha.kubernetes.io/node-selector: 'a=b'}"),
          labelled("v-plane", "labels: {control-plane: 'true'}"),
          labelled("v-rancher", "annotations: {field.cattle.io/projectId: 'local:p-x'}"),
          labelled("v-mark", "annotations: {kubist.io/owner: x}"),
          labelled("v-mesh", "labels: {istio.io/dataplane-mode: none}"),
          by_policy("v-policy", "labels: {pod-security.kubernetes.io/enforce: privileged}",
                    "LabelNotAllowed"),
          by_policy("v-patch",
                    "patch: [{op: add, path: /labels, value: "
                    "{pod-security.kubernetes.io/enforce: privileged}}]",
                    "LabelNotAllowed|InvalidParameters|PolicyFailed"),
          place("v-moved", "PROJECT-pool-new", "LabelNotAllowed|NamespaceNotAllowed|PolicyFailed",
                "policies: [{name: mover}]", no_new)};
}

/// A kubeconfig with that server; `of_cluster` and `of_user` are further fields.
Attempt cluster(const std::string& name, const std::string& server, const std::string& reasons,
                const std::string& of_cluster = {}, const std::string& of_user = "token: abc") {
  return {
      "Cluster",
      name,
      "{kubeconfigSecretRef: {name: NAME-kubeconfig}, istio: {mode: Ignore}}",
      reasons,
      {},
      By::kubist,
      {},
      "apiVersion: v1\nkind: Config\ncurrent-context: x\nclusters: [{name: x, cluster: {server: '" +
          server + "'" + of_cluster + "}}]\nusers: [{name: x, user: {" + of_user +
          "}}]\ncontexts: [{name: x, context: {cluster: x, user: x}}]\n"};
}

std::vector<Attempt> clusters() {
  const std::string form = "KubeconfigNotAllowed";
  const std::string address = "AddressNotAllowed";
  const std::string fine = "https://api.example.com";
  Attempt deep = cluster("c-deep", fine, "InvalidSpec|KubeconfigNotAllowed");
  deep.kubeconfig += "extensions: " + std::string(5000, '[') + std::string(5000, ']') + "\n";
  Attempt bomb = cluster("c-bomb", fine, "InvalidSpec|KubeconfigNotAllowed");
  bomb.kubeconfig += "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char level = 'b'; level <= 'l'; ++level) {
    const std::string below = std::string("*") + static_cast<char>(level - 1) + ", ";
    bomb.kubeconfig += std::string(1, level) + ": &" + level + " [" + below + below + below +
                       below + below + below + below + below + below + '*' +
                       static_cast<char>(level - 1) + "]\n";
  }
  Attempt huge =
      cluster("c-huge", fine, "InvalidSpec|KubeconfigNotAllowed|AddressNotAllowed|Unreachable");
  huge.kubeconfig = std::string(900000, '#');
  Attempt other = cluster("c-other", fine, "SecretNotFound|InvalidSpec");
  other.spec = "{kubeconfigSecretRef: {name: ../../OTHER/secrets/keys}, istio: {mode: Ignore}}";
  Attempt dot = cluster("c-dot", fine, "SecretNotFound|InvalidSpec");
  dot.spec = "{kubeconfigSecretRef: {name: .}, istio: {mode: Ignore}}";
  return {
      cluster("c-http", "http://api.example.com", form),
      cluster("c-userinfo", "https://a:b@api.example.com", form),
      cluster("c-query", "https://api.example.com/?x=", form),
      cluster("c-fragment", "https://api.example.com/#x", form),
      cluster("c-link", "https://169.254.169.254", address),
      cluster("c-link6", "https://[fe80::1]", address),
      cluster("c-aws6", "https://[fd00:ec2::254]", address),
      cluster("c-loop", "https://127.0.0.1:6443", address),
      cluster("c-name", "https://localhost:6443", address),
      cluster("c-zero", "https://0.0.0.0:6443", address),
      cluster("c-decimal", "https://2130706433:6443", "AddressNotAllowed|Unreachable"),
      cluster("c-mapped", "https://[::ffff:127.0.0.1]:6443", address),
      cluster("c-service", "https://SERVICE", "AddressNotAllowed|TlsFailed"),
      cluster("c-insecure", fine, form, ", insecure-skip-tls-verify: true"),
      cluster("c-proxy", fine, form, ", proxy-url: 'http://127.0.0.1:1'"),
      cluster("c-file", fine, form, ", certificate-authority: /etc/passwd"),
      cluster("c-exec", fine, form, {},
              "exec: {apiVersion: client.authentication.k8s.io/v1, command: sh}"),
      cluster("c-provider", fine, form, {}, "auth-provider: {name: gcp}"),
      cluster("c-token-file", fine, form, {}, "tokenFile: /etc/passwd"),
      cluster("c-as", fine, form, {}, "token: abc, as: 'system:admin'"),
      cluster("c-lines", fine, "InvalidSpec|KubeconfigNotAllowed", {},
              "token: \"abc\\r\\nMetadata-Flavor: Google\""),
      cluster("c-none", fine, "SecretNotFound"),
      deep,
      bomb,
      huge,
      other,
      dot,
      {"Cluster", "c-istio",
       "{home: true, istio: {mode: Install, version: 1.31.0, source: {url: "
       "'http://169.254.169.254/x', "
       "sha256: '0000000000000000000000000000000000000000000000000000000000000000'}}}",
       "IstioInstallNotGranted"},
      {"Cluster", "c-hub", "{home: true, istio: {version: 1.31.0, hub: evil.example.com/istio}}",
       "IstioInstallNotGranted"},
      {"Cluster", "c-render",
       "{home: true, istio: {mode: Install, version: 1.31.0, source: {render: {image: "
       "'localhost/busybox:1', args: [sh], namespace: PROJECT}}}}",
       "IstioInstallNotGranted"}};
}

}  // namespace

std::vector<Attempt> place_attempts() {
  std::vector<Attempt> all = virtual_clusters();
  const std::vector<Attempt> more = clusters();
  all.insert(all.end(), more.begin(), more.end());
  all.push_back(
      {"DeployItem",
       "at-system",
       "{type: kubist.io/manifest, timeout: 10s, target: {name: v-system}, config: {manifests: "
       "[{apiVersion: v1, kind: ConfigMap, metadata: {name: PROJECT-esc}}]}}",
       "",
       {"configmap/kube-system/PROJECT-esc"}});
  all.push_back(
      {"DeployItem",
       "at-theirs",
       "{type: kubist.io/manifest, timeout: 10s, target: {name: v-there}, config: {manifests: "
       "[{apiVersion: v1, kind: ConfigMap, metadata: {name: PROJECT-esc}}]}}",
       "",
       {"configmap/PROJECT-pool-theirs/PROJECT-esc"}});
  return all;
}

}  // namespace it::hostile
