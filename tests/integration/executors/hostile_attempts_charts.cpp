// Charts: what they would make, where they would come from, and what helm would do besides.
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "hostile_attempts.hpp"

namespace it::hostile {
namespace {

Attempt helm(const std::string& name, const std::string& chart, const std::string& more,
             const std::string& reasons, const Words& never = {}) {
  return {"DeployItem", name,
          "{type: kubist.io/helm, timeout: 10s, target: {name: dev}, config: {chart: {" + chart +
              "}" + (more.empty() ? "" : ", ") + more + "}}",
          reasons, never};
}

/// A chart that is rendered to these objects (use_charts_as_they_are()).
Attempt chart(const std::string& name, const std::string& objects, const std::string& reasons,
              const Words& never, const std::string& more = "name: web") {
  return helm(name, "archive: {raw: " + kubist::util::base64_encode(objects) + "}", more, reasons,
              never);
}

const char* const k_binding = R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: esc-by-chart
  annotations: {HOOK}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: Group, apiGroup: rbac.authorization.k8s.io, name: nobody}]
)";
const char* const k_map = R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: esc-by-chart, NAMESPACE}
---
)";

std::string binding(const std::string& hook = {}) {
  return kubist::util::replace_all(k_binding, "HOOK",
                                   hook.empty() ? hook : "helm.sh/hook: " + hook);
}
std::string map(const std::string& ns = {}) {
  return kubist::util::replace_all(k_map, ", NAMESPACE", ns.empty() ? ns : ", namespace: " + ns);
}

}  // namespace

std::vector<Attempt> chart_attempts() {
  const std::string kind = "KindNotAllowed";
  const std::string place = "NamespaceNotAllowed";
  const std::string form = "InvalidConfiguration";
  const std::string address = "AddressNotAllowed";
  const Words no_binding{"clusterrolebinding//esc-by-chart"};
  const Words no_map{"configmap/kube-system/esc-by-chart", "configmap/OTHER-dev/esc-by-chart"};
  const Words neither{no_binding[0], no_map[0], "configmap/DEV/esc-by-chart"};
  return {
      chart("chart-binding", map() + binding(), kind, neither),
      chart("chart-system", map("kube-system"), place, no_map),
      chart("chart-other", map(), place, no_map, "name: web, namespace: OTHER-dev"),
      chart("chart-dots", map(), place + "|" + form, no_map, "name: web, namespace: '..'"),
      chart("chart-hook", map("kube-system") + binding("pre-install"), place, neither),
      chart("chart-test", map("kube-system") + binding("test"), place, neither),
      chart("chart-new", map(), place + "|" + kind, {"namespace//PROJECT-by-chart"},
            "name: web, namespace: PROJECT-by-chart, createNamespace: true"),
      chart("chart-rendered", map(), form, neither, "name: web, postRenderer: {exec: /bin/sh}"),
      chart("chart-release", map(), form, neither, "name: web, helmDeployment: true"),
      chart("chart-name", map(), form, neither, "name: '--post-renderer=/bin/sh'"),
      helm("chart-version",
           "repo: 'https://charts.example.com', name: web, version: '--post-renderer=/bin/sh'",
           "name: web", form),
      helm("chart-dash", "oci: '--post-renderer=/bin/sh'", "name: web", form + "|" + address),
      helm("chart-file", "url: 'file:///etc/passwd'", "name: web", form),
      helm("chart-link", "url: 'http://169.254.169.254/web.tgz'", "name: web", address),
      helm("chart-loop", "url: 'http://127.0.0.1:1/web.tgz'", "name: web", address),
      helm("chart-decimal", "url: 'http://2130706433:1/web.tgz'", "name: web", address),
      helm("chart-service", "url: 'https://SERVICE/web.tgz'", "name: web", address),
      helm("chart-oci", "oci: 'oci://127.0.0.1:1/charts/web:1.0.0'", "name: web", address),
      helm("chart-repo", "repo: 'http://127.0.0.1:1', name: web", "name: web", address),
      helm("chart-up", "repo: 'https://charts.example.com', name: '../../etc'", "name: web", form)};
}

}  // namespace it::hostile
