#include "controller_rights.hpp"

#include <tuple>

#include <kubist/executors/world.hpp>

#include "integration/executors/mesh_kinds.hpp"
#include "support/paths.hpp"

namespace kubist::e2e {

using namespace it;
using namespace it::roles;
using util::cat;

namespace {

const char* const k_script = "echo '{\"a\": 1}' > \"$EXPORT_PATH\"";

/// What the account asked for, each by a right that is in these roles.
void check_covered(const std::vector<Right>& rights, const std::vector<Json>& requests) {
  for (const Json& event : requests) {
    const auto group = data::string_at(event, {"objectRef", "apiGroup"});
    // What everybody may: discovery, and asking for the caller's own rights; what was refused.
    if (data::string_at(event, {"objectRef", "resource"}).empty() ||
        data::int_at(event, {"responseStatus", "code"}) == 403 || group == "authorization.k8s.io" ||
        group == "authentication.k8s.io") {
      continue;
    }
    for (const Right& used : used_by(event)) {
      CHECK_MESSAGE(std::any_of(rights.begin(), rights.end(),
                                [&](const Right& right) { return covers(right, used); }),
                    used.to_string());
    }
  }
}

const char* const k_rights_test = "tests/e2e/rights_test.cpp";
const char* const k_whole =
    "rights: the printed roles are enough for a whole project, and none of them is too much";
const char* const k_rbac = "rbac.authorization.k8s.io";

/// What the project here has no need of, each with the test that has. Items' pods take the same of
/// whoever runs kubist, controller or not.
const std::vector<Unused> k_elsewhere{
    {{"", k_rbac, "clusterroles", "bind", ""},
     "the API server asks for it when a project's account is bound",
     "tests/integration/executors/rights_test.cpp",
     "rights: the controller's role without bind gives a project's account no rights"},
    {{"", "", "secrets", "update", ""},
     "the API server asks for it when an item's account is given it",
     k_rights_test,
     "rights: who may not update Secrets may not give that to an item's account, either"},
    {{"", "", "secrets", "patch", ""}, "an item that runs again", k_rights_test, k_whole},
    {{"", k_rbac, "roles", "get", ""}, "an item that runs again", k_rights_test, k_whole},
    {{"", k_rbac, "roles", "patch", ""}, "an item's changed Role", k_rights_test, k_whole},
    {{"", "", "serviceaccounts/token", "create", ""}, "items as accounts", k_rights_test, k_whole},
    {{"", "", "persistentvolumeclaims", "get", ""}, "state in a volume", k_rights_test, k_whole},
    {{"", "", "persistentvolumeclaims", "create", ""}, "state in a volume", k_rights_test, k_whole},
    {{"", "", "persistentvolumeclaims", "delete", ""}, "state in a volume", k_rights_test, k_whole},
};

const char* const k_istio = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: istiod, namespace: NS, labels: {app: istiod, istio.io/rev: default}}
spec:
  selector: {matchLabels: {app: istiod}}
  template:
    metadata: {labels: {app: istiod, istio.io/rev: default}}
    spec:
      automountServiceAccountToken: false
      containers:
        - name: discovery
          image: localhost/busybox:1
          command: [sh, -c, 'echo 1.31.0-test-Clean > version && exec httpd -f -p 15014']
          workingDir: /tmp
          readinessProbe: {httpGet: {path: /version, port: 15014}, periodSeconds: 1}
---
apiVersion: v1
kind: Service
metadata: {name: istiod, namespace: NS}
spec: {selector: {app: istiod}, ports: [{port: 443}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: istio-cni-node, namespace: NS}
spec:
  selector: {matchLabels: {k8s-app: istio-cni-node}}
  template:
    metadata: {labels: {k8s-app: istio-cni-node}}
    spec: {nodeSelector: {kubist.io/test: nowhere}, containers: [{name: c, image: none}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: NS, labels: {istio.io/rev: default}}
webhooks:
  - name: rev.validation.istio.io
    clientConfig: {service: {namespace: NS, name: istiod}}
    sideEffects: None
    admissionReviewVersions: [v1]
)";

const char* const k_manifests = R"(
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: DeployItem
metadata: {name: manifests, namespace: PROJECT}
spec:
  type: kubist.io/manifest
  target: {name: dev}
  config:
    manifests:
      - apiVersion: apps/v1
        kind: Deployment
        metadata: {name: of-item}
        spec: &spec
          replicas: 0
          selector: {matchLabels: {app: of-item}}
          template: {metadata: {labels: {app: of-item}}, spec: {containers: [{name: c, image: none}]}}
      - apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: of-item}
        spec: *spec
)";

}  // namespace

PlayedIstio::PlayedIstio(const std::string& ns) : m_webhook(ns) {
  put("home", {kubist::testing::plain("Namespace", "", ns)});
  must(kubectl("home", {"apply", "-f", "-"}, util::replace_all(k_istio, "NS", ns)));
  must(kubectl("home", {"rollout", "status", "deployment/istiod", "-n", ns, "--timeout=240s"}));
}

PlayedIstio::~PlayedIstio() {
  kubectl("home", {"delete", "validatingwebhookconfiguration", m_webhook});
}

std::vector<Json> content(const std::string& project) {
  const Json item{
      {"name", "run"}, {"type", "Script"}, {"image", "localhost/busybox:1"}, {"script", k_script}};
  const auto execution = [&](const std::string& name, const Json& more) {
    Json spec{{"items", Json::array({item})}};
    spec.update(more);
    return object("Execution", project, name, std::move(spec));
  };
  const auto in_dev = [&](const std::string& kind, const std::string& name, const char* spec) {
    Json all = yaml(spec);
    all["virtualClusterRef"] = {{"name", "dev"}};
    return object(kind, project, name, std::move(all));
  };
  Json values = kubist::testing::plain("ConfigMap", project, "values");
  values["data"] = {{"k", "v"}};
  return {
      values,
      secret(project, "password", "secret-value"),
      object("Cluster", project, "home", {{"home", true}, {"istio", {{"mode", "Ignore"}}}}),
      object("Cluster", project, "checked", {{"home", true}}),  // where Istio is, is looked up
      virtual_cluster(project, "dev", "home", project + "-dev"),
      execution(
          "here",
          {{"imports",
            Json::array(
                {{{"name", "one"}, {"configMapRef", {{"name", "values"}, {"key", "k"}}}},
                 {{"name", "two"}, {"secretRef", {{"name", "password"}, {"key", "value"}}}}})}}),
      execution("there", {{"virtualClusterRef", {{"name", "dev"}}}}),
      in_dev("Destination", "web",
             "{ports: [{port: 80, targetPort: 8080}], subsets: {v1: {labels: {version: v1}}, v2: "
             "{labels: {version: v2}}}}"),
      in_dev("EntryGateway", "entry", "{servers: [{port: 80, hosts: [shop.example.com]}]}"),
      in_dev("ExternalService", "api", "{hosts: [api.example.org], ports: [{number: 443}]}"),
      in_dev("TrafficRoute", "web",
             "{hosts: [shop.example.com], gateways: [entry], routes: [{weights: [{destination: "
             "web, version: v1}]}]}"),
      in_dev("Destination", "split",
             "{mode: Services, selector: {app: web}, ports: [{port: 80}], subsets: {v1: {labels: "
             "{version: v1}}}}"),
      in_dev("TrafficRoute", "inner",
             "{mode: HTTPRoute, hosts: [split], routes: [{weights: [{destination: split, version: "
             "v1}]}]}"),
      yaml(util::replace_all(k_manifests, "PROJECT", project)),
      in_dev("CanaryRelease", "web",
             "{destination: web, stable: v1, canary: v2, routes: [web], interval: 1h}"),
      in_dev(
          "Experiment", "button",
          "{route: web, variants: [{name: control, destination: web, version: v1}, {name: green, "
          "destination: web, version: v2}], goals: [{name: answered, source: {json: {namespace: "
          "none, service: 'stats:80', path: /}}, count: '{.n}', successes: '{.s}'}]}")};
}

void make_uses(const std::string& project, const std::string& system) {
  const std::string dev = project + "-dev";
  make_ready_pod(dev, "v1");  // else nothing is sent there
  put("home",
      {yaml("{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: " + dev +
            "}, spec: {replicas: 0, selector: {matchLabels: {app: web}}, template: "
            "{metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: "
            "none}]}}}}"),
       object("Execution", project, "late",
              yaml("{items: [{name: one, type: Templates, template: 'function(all) []'}], "
                   "imports: [{name: late, configMapRef: {name: late, key: k}}]}"))});
  patch("home", "virtualclusters.kubist.io", "dev", project, kube::PatchType::merge,
        yaml("{spec: {injection: {mode: Sidecar, restart: true}}}"));
  const auto is_told = [&] {
    const auto events = list("home", "events", project);
    return std::any_of(events.begin(), events.end(), [](const Json& event) {
      return data::string_at(event, {"involvedObject", "name"}) == "late";
    });
  };
  CHECK(eventually(is_told));
  CHECK(eventually([&] { return get("home", "httproutes", "inner", dev).has_value(); }));
  // As a replica that was killed leaves it.
  patch("home", "leases", "kubist", project, kube::PatchType::merge,
        {{"metadata", {{"annotations", {{"kubist.io/replica", system + "/kubist-gone"}}}}},
         {"spec", {{"holderIdentity", "gone"}}}});
  CHECK(eventually([&] {
    return data::string_at(*get("home", "leases", "kubist", project), {"spec", "holderIdentity"}) !=
           "gone";
  }));
  // As where an executor of somebody's own made something, or `kubist delete` was cut short.
  for (const auto& [kind, name, of] :
       {std::tuple{"roots", "root", ""}, std::tuple{"canaryreleases", "web", project.c_str()},
        std::tuple{"experiments", "button", project.c_str()}}) {
    patch("home", cat(kind, ".kubist.io"), name, of, kube::PatchType::merge,
          {{"metadata", {{"finalizers", {executors::k_finalizer}}}}});
  }
  CHECK(eventually([&] {
    return data::find_path(*get("home", "deployments", "web", dev),
                           {"spec", "template", "metadata", "annotations"}) != nullptr;
  }));
}

void end_namespace(const std::string& project) {
  const std::string dev = project + "-dev";
  Json hold = kubist::testing::plain("ConfigMap", dev, "hold");
  hold["metadata"]["finalizers"] = {"kubist.io/test"};
  put("home", {hold});
  must(kubectl("home", {"delete", "namespace", dev, "--wait=false"}));
  CHECK(eventually([&] { return !get("home", "rolebindings", "kubist-project", dev); }));
  must(kubectl("home", {"delete", "projects.kubist.io", project, "--wait=false"}));
  CHECK(eventually([&] { return !get("home", "destinations.kubist.io", "web", project); }));
  CHECK(eventually([&] { return !get("home", "deployitems", "manifests", project); }));
  patch("home", "configmap", "hold", dev, kube::PatchType::merge,
        yaml("{metadata: {finalizers: null}}"));
}

std::vector<Json> of_itself(std::vector<Json> requests) {
  std::erase_if(requests, [](const Json& event) {
    return event.contains("impersonatedUser") || what(event).find("/of-item") != std::string::npos;
  });
  return requests;
}

void check_rights(const std::vector<Right>& rights, const std::vector<Json>& requests) {
  check_covered(rights, requests);
  check_needed(rights, requests, k_elsewhere);
}

}  // namespace kubist::e2e
