// Executions and policies whose programs do not end or give what they should not, and traffic of
// others. Istio's kinds are enough for it: what kubist refuses it does not write.
#include "hostile_attempts.hpp"

namespace it::hostile {
namespace {

Attempt parts(const std::string& name, const std::string& program, const std::string& reasons,
              const Words& never = {}, const std::string& verdict = {}) {
  return {"Execution",
          name,
          "{items: [{name: t, type: Templates, timeout: 10s, template: \"" + program + "\"}]}",
          reasons,
          never,
          By::kubist,
          verdict};
}

std::string part(const std::string& fields) {
  return "function(all) [{name: 'x', " + fields + "}]";
}

std::string map_part(const std::string& more) {
  return part("type: 'kubist.io/manifest', " + more +
              "config: {manifests: [{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: "
              "'PROJECT-esc'}}]}");
}

Attempt by_policy(const std::string& name, const std::string& reasons) {
  return {
      "VirtualCluster",
      "p-" + name,
      "{clusterRef: {name: second}, namespace: PROJECT-pool-new, policies: [{name: " + name + "}]}",
      reasons,
      {"namespace//PROJECT-pool-new"}};
}

Attempt mesh(const std::string& kind, const std::string& name, const std::string& spec,
             const std::string& reasons, const Words& never = {}) {
  return {kind, name, "{virtualClusterRef: {name: dev}, " + spec + "}", reasons, never};
}

}  // namespace

std::vector<Attempt> program_attempts() {
  const std::string bad = "TemplateFailed|InvalidItem";
  std::string deep = "1";
  for (int level = 0; level < 600; ++level) {
    deep = "[" + deep + "]";
  }
  const std::string script =
      "{items: [{name: s, type: Script, script: 'true', timeout: 10s, image: "
      "'localhost/busybox:1', ";
  return {
      parts("x-imports", part("type: 'Script', script: 'true', imports: 'x'"), bad),
      parts("x-endless", "local f(x) = f(x + 1) tailstrict; function(all) f(0)", bad),
      parts("x-stack", "local f(x) = 1 + f(x + 1); function(all) f(0)", bad),
      parts("x-file",
            "function(all) [{name: 'x', type: 'kubist.io/mock', config: {export: {a: importstr "
            "'/etc/passwd'}}}]",
            bad),
      parts("x-deep", part("type: 'kubist.io/mock', config: {a: " + deep + "}"), bad),
      parts("x-many",
            "function(all) [{name: 'x' + i, type: 'kubist.io/mock', config: {}} for i in "
            "std.range(1, 100000)]",
            bad),
      parts("x-name", "function(all) [{name: '../../x', type: 'kubist.io/mock', config: {}}]", bad),
      parts("x-text", "function(all) 'hello'", bad),
      parts("x-admin",
            part("type: 'kubist.io/manifest', config: {manifests: [{apiVersion: "
                 "'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata: {name: "
                 "'PROJECT-esc'}, roleRef: {apiGroup: 'rbac.authorization.k8s.io', kind: "
                 "'ClusterRole', "
                 "name: 'cluster-admin'}}]}"),
            "KindNotAllowed", {"clusterrolebinding//PROJECT-esc"}, "DeployItem/x-admin-t-x"),
      parts("x-system", map_part("target: {name: 'v-system'}, "),
            "NamespaceNotAllowed|TargetNotReady", {"configmap/kube-system/PROJECT-esc"},
            "DeployItem/x-system-t-x"),
      parts("x-theirs", map_part("target: {name: 'v-there'}, "),
            "NamespaceNotAllowed|TargetNotReady|Forbidden",
            {"configmap/PROJECT-pool-theirs/PROJECT-esc"}, "DeployItem/x-theirs-t-x"),
      {"Execution", "x-kept",
       "{imports: [{name: a, secretRef: {name: kept, key: value}}], items: [{name: "
       "s, type: Script, script: 'true', image: 'localhost/busybox:1'}]}",
       "SecretNotAllowed"},
      {"Execution",
       "x-account",
       script + "serviceAccountName: kubist-project}]}",
       "AccountNotAllowed",
       {},
       By::kubist,
       "DeployItem/x-account-s"},
      {"Execution", "x-mount", script + "volumeMounts: [{name: kubist-token, mountPath: /t}]}]}",
       "InvalidConfiguration|InvalidItem|InvalidSpec"},
      {"Execution",
       "x-power",
       script + "securityContext: {capabilities: {add: [SYS_ADMIN]}}}]}",
       "PodNotAllowed",
       {},
       By::kubist,
       "DeployItem/x-power-s"},
      {"Execution", "x-home",
       "{virtualClusterRef: {name: v-system}, items: [{name: s, type: Script, script: "
       "'true', image: 'localhost/busybox:1'}]}",
       "ParentNotReady|DependencyNotReady|NamespaceNotAllowed|TargetNotReady"},
      by_policy("p-memory", "MemoryLimit|CPULimit|Timeout"),
      by_policy("p-file", "PolicyFailed"),
      by_policy("p-rubbish", "PolicyFailed")};
}

std::vector<Attempt> traffic_attempts() {
  const std::string no = "HostNotAllowed";
  const std::string port = "ports: [{number: 443}]";
  const std::string to = "routes: [{weights: [{destination: shop}]}]";
  const auto service = [&](const std::string& name, const std::string& host) {
    return mesh("ExternalService", name, "hosts: ['" + host + "'], " + port, no,
                {"serviceentries.networking.istio.io/DEV/" + name});
  };
  const auto gateway = [&](const std::string& name, const std::string& hosts) {
    return mesh("EntryGateway", name, "servers: [{port: 80" + hosts + "}]", no,
                {"gateways.networking.istio.io/DEV/" + name});
  };
  const auto route = [&](const std::string& name, const std::string& host,
                         const std::string& more = {}) {
    return mesh("TrafficRoute", name, "hosts: ['" + host + "'], " + more + to, no,
                {"virtualservices.networking.istio.io/DEV/" + name});
  };
  const auto endpoint = [&](const std::string& name, const std::string& address,
                            const std::string& reason) {
    return mesh(
        "ExternalService", name,
        "hosts: [shop.example.com], " + port + ", endpoints: [{address: '" + address + "'}]",
        reason, {"serviceentries.networking.istio.io/DEV/" + name});
  };
  // Shared gateways would refuse all routes for one of these.
  const auto broken = [&](const std::string& name, const std::string& more) {
    return mesh("TrafficRoute", name,
                "hosts: [shop.example.com], gateways: [istio-ingress/main], routes: [{" + more +
                    ", weights: [{destination: shop}]}]",
                "InvalidSpec", {"virtualservices.networking.istio.io/DEV/" + name});
  };
  Attempt elsewhere =
      route("r-gateway", "www.bank.example.com", "gateways: [mesh, OTHER-dev/main], ");
  elsewhere.reasons += "|UnknownGateway";  // where it may look there
  return {service("e-api", "kubernetes.default.svc.cluster.local"),
          service("e-bank", "api.bank.example.com"),
          service("e-wide", "*.com"),
          endpoint("e-loop", "127.0.0.1", "AddressNotAllowed"),
          endpoint("e-cloud", "169.254.169.254", "AddressNotAllowed"),
          endpoint("e-socket", "unix:///etc/istio/proxy/XDS", "AddressNotAllowed"),
          endpoint("e-behind", "web.OTHER-dev.svc.cluster.local", no),
          broken("r-regex", "condition: 'uri regex \"/\\pL{300}\"'"),
          broken("r-command", "headers: {request: {set: {x: '%NO_SUCH_COMMAND%'}}}"),
          broken("r-file", "headers: {request: {set: {x: '%FILE_CONTENT(/etc/passwd)%'}}}"),
          service("e-other", "web.OTHER-dev.svc.cluster.local"),
          gateway("g-all", ""),
          gateway("g-star", ", hosts: ['*.example.com']"),
          gateway("g-bank", ", hosts: [www.bank.example.com]"),
          route("r-bank", "api.bank.example.com"),
          route("r-other", "web.OTHER-dev.svc.cluster.local"),
          route("r-short", "web.OTHER-dev"),
          route("r-api", "kubernetes.default.svc"),
          elsewhere,
          mesh("TrafficRoute", "r-to",
               "hosts: [shop.example.com], routes: [{weights: [{destination: "
               "web.OTHER-dev}]}]",
               "UnknownDestination|InvalidSpec", {"virtualservices.networking.istio.io/DEV/r-to"}),
          mesh("TrafficRoute", "r-behind",
               "hosts: [shop.example.com], routes: [{weights: [{destination: "
               "web.OTHER-dev.svc.cluster.local}]}]",
               no, {"virtualservices.networking.istio.io/DEV/r-behind"}),
          mesh("TrafficRoute", "r-mirror",
               "hosts: [shop.example.com], routes: [{weights: [{destination: shop}], mirror: "
               "{destination: web.OTHER-dev.svc.cluster.local}}]",
               no, {"virtualservices.networking.istio.io/DEV/r-mirror"}),
          mesh("Destination", "d-ring",
               "ports: [{port: 80}], trafficPolicy: {loadBalancer: {consistentHash: "
               "{httpHeaderName: x, ringHash: {minimumRingSize: 8388608}}}}",
               "FieldNotAllowed", {"destinationrules.networking.istio.io/DEV/d-ring"}),
          mesh("EntryGateway", "g-file",
               "servers: [{port: 443, hosts: [shop.example.com], tls: {mode: SIMPLE, "
               "serverCertificate: /etc/passwd, privateKey: /var/run/secrets/token}}]",
               "FieldNotAllowed", {"gateways.networking.istio.io/DEV/g-file"}),
          mesh("Destination", "foreign", "ports: [{port: 80}], selector: {app: web}",
               "ObjectTaken|ObjectExists|NameTaken"),
          {"ExternalService",
           "e-system",
           "{virtualClusterRef: {name: v-system}, hosts: [shop.example.com], " + port + "}",
           "ParentNotReady|DependencyNotReady|NamespaceNotAllowed",
           {"serviceentries.networking.istio.io/kube-system/e-system"}}};
}

std::vector<std::string> tools() {
  const auto policy = [](const std::string& name, const std::string& source) {
    return "{apiVersion: kubist.io/v1alpha1, kind: PolicyDefinition, metadata: {name: " + name +
           ", namespace: PROJECT}, spec: {runtime: {jsonnet: {source: \"" + source + "\"}}}}";
  };
  const auto traffic = [](const std::string& kind, const std::string& spec) {
    return "{apiVersion: kubist.io/v1alpha1, kind: " + kind +
           ", metadata: {name: shop, namespace: PROJECT}, spec: {virtualClusterRef: {name: dev}, " +
           spec + "}}";
  };
  return {
      policy("p-memory",
             "local g(s) = if std.length(s) > 1e12 then s else g(s + s) tailstrict; "
             "function(list) g('xxxxxxxxxxxxxxxx')"),
      policy("p-file", "function(list) list { items: [importstr '/etc/passwd'] }"),
      policy("p-rubbish", "function(list) 'hello'"),
      policy(
          "mover",
          "function(list) list { items: [super.items[0] { spec+: { namespace: "
          "'kube-system', labels+: { 'pod-security.kubernetes.io/enforce': 'privileged' } } }] }"),
      // Of its own, since a Cluster is Stalled where its caller may not keep all namespaces.
      "{apiVersion: kubist.io/v1alpha1, kind: Cluster, metadata: {name: second, namespace: "
      "PROJECT}, spec: {home: true, istio: {mode: Ignore}}}",
      traffic("Destination", "ports: [{port: 80}], selector: {app: web}"),
      traffic("ExternalService", "hosts: [shop.example.com], ports: [{number: 443}]")};
}

std::vector<Refusal> refusals() {
  const std::string item = "spec: {type: kubist.io/mock}}";
  return {
      {"{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: "
       "PROJECT-esc}, "
       "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}}",
       "cannot create resource \"clusterrolebindings\""},
      {"{apiVersion: v1, kind: Secret, metadata: {name: esc, namespace: PROJECT}}",
       "cannot create resource"},
      {"{apiVersion: v1, kind: Pod, metadata: {name: esc, namespace: PROJECT}, spec: {containers: "
       "[{name: c, "
       "image: x}]}}",
       "cannot create resource"},
      {"{apiVersion: v1, kind: ServiceAccount, metadata: {name: esc, namespace: PROJECT}}",
       "cannot create resource"},
      {"{apiVersion: v1, kind: Namespace, metadata: {name: PROJECT-esc}}",
       "cannot create resource"},
      {"{apiVersion: kubist.io/v1alpha1, kind: Project, metadata: {name: PROJECT-esc}, spec: {}}",
       "cannot create resource"},
      {"{apiVersion: kubist.io/v1alpha1, kind: Approval, metadata: {name: esc, namespace: "
       "PROJECT}, spec: {}}",
       "cannot create resource"},
      {"{apiVersion: landscaper.gardener.cloud/v1alpha1, kind: DeployItem, metadata: {name: esc, "
       "namespace: "
       "OTHER}, " +
           item,
       "cannot create resource"},
      {"{apiVersion: landscaper.gardener.cloud/v1alpha1, kind: DeployItem, metadata: {name: esc, "
       "namespace: "
       "kube-system}, " +
           item,
       "cannot create resource"},
      {"{apiVersion: kubist.io/v1alpha1, kind: Execution, metadata: {name: esc, namespace: "
       "PROJECT}, spec: "
       "{items: [{name: a, type: Script, script: 'true', imports: 'x'}]}}",
       "spec.items[0].imports"},
      {"{apiVersion: kubist.io/v1alpha1, kind: VirtualCluster, metadata: {name: esc, namespace: "
       "PROJECT}, "
       "spec: {clusterRef: {name: home}, namespace: '../kube-system'}}",
       "spec.namespace"},
      {"{apiVersion: kubist.io/v1alpha1, kind: TrafficRoute, metadata: {name: esc, namespace: "
       "PROJECT}, spec: {virtualClusterRef: {name: dev}, hosts: [shop.example.com], routes: "
       "[{rewrite: \"/a\\nb\", weights: [{destination: shop}]}]}}",
       "spec.routes[0].rewrite"}};
}

}  // namespace it::hostile
