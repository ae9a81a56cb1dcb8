#pragma once
#include "site.hpp"

/// A project with a Destination, a route and two ready versions; Istio's kinds are served, nothing
/// acts on them.
namespace site {

inline Json istio_crd(const std::string& kind, const std::string& plural) {
  return yaml(cat(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: )",
                  plural, R"(.networking.istio.io}
spec:
  group: networking.istio.io
  scope: Namespaced
  names: {kind: )",
                  kind, ", plural: ", plural, R"(}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, x-kubernetes-preserve-unknown-fields: true}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
)"));
}

/// Stays at each weight until a person says how it goes on.
inline const char* const k_stay =
    "interval: 1h, bake: 0s, weights: [20, 50], policies: [{name: Timed, parameters: {step: 1h}}]";

class Shop : public Site {
 public:
  explicit Shop(const Json& project = Json::object()) {
    for (const auto& [kind, plural] :
         {std::pair{"VirtualService", "virtualservices"},
          std::pair{"DestinationRule", "destinationrules"}, std::pair{"Gateway", "gateways"},
          std::pair{"ServiceEntry", "serviceentries"}}) {
      home->put(istio_crd(kind, plural));
    }
    open();  // the kinds are new
    make_project("shop", project);
    virtual_cluster("shop", "dev", {{"injection", {{"mode", "Unmanaged"}}}});
    settle();
    for (const char* version : {"v1", "v2"}) {
      ready_pod(cat("web-", version), {{"app", "web"}, {"version", version}});
    }
    apply("Destination", "web",
          "{ports: [{port: 80, targetPort: 8080}], subsets: {v1: {labels: {version: v1}}, v2: "
          "{labels: "
          "{version: v2}}}}");
  }

  /// The object with spec.virtualClusterRef; a change of spec replaces what was applied before.
  void apply(const std::string& kind, const std::string& name, const std::string& spec) {
    Json full = yaml(spec);
    full["virtualClusterRef"] = {{"name", "dev"}};
    put(kind, "shop", name, full);
  }
  void route(const std::string& name, const std::string& more = "") {
    apply("TrafficRoute", name,
          cat("{hosts: [", name, ".example.com], ", more,
              "routes: [{weights: [{destination: web, version: v1}]}]}"));
  }
  void ready_pod(const std::string& name, const Json& labels) {
    Json pod = plain("Pod", "shop-dev", name);
    pod["metadata"]["labels"] = labels;
    pod["spec"] = {{"containers", Json::array({{{"name", "main"}, {"image", "x"}}})}};
    home->put(pod);
    set_ready(name, true);
  }
  void set_ready(const std::string& name, bool ready) {
    home->patch("pods", name, "shop-dev", kube::PatchType::strategic,
                {{"status",
                  {{"conditions",
                    Json::array({{{"type", "Ready"}, {"status", ready ? "True" : "False"}}})}}}},
                "status");
  }
  Json release(const std::string& name = "web") const {
    return get("canaryreleases", "shop", name);
  }
  std::string state(const std::string& name = "web") const {
    return std::string(data::string_at(release(name), {"status", "state"}));
  }
  std::string why(const std::string& name = "web") const {
    return std::string(data::string_at(release(name), {"status", "reason"}));
  }
  Json live(const std::string& plural, const std::string& name) const {
    return home->get(plural, name, "shop-dev");
  }
  std::string routed() const {
    return live("virtualservices.networking.istio.io", "web")["spec"].dump();
  }
  std::string weights() const {
    return std::string(data::string_at(get("trafficroutes", "shop", "web"), {"status", "weights"}));
  }
  /// One look at a release, some time after the last.
  engine::Report look(const std::string& name = "web",
                      std::chrono::seconds after = std::chrono::seconds(2)) {
    clock.advance(after);
    return reconcile(only({key("CanaryRelease", "shop", name)}));
  }
  /// Looks until it is in that state, or some 20 times; what it is then.
  std::string until(const std::string& wanted, const std::string& name = "web",
                    std::chrono::seconds after = std::chrono::seconds(2)) {
    for (int looks = 0; looks < 20 && state(name) != wanted; ++looks) {
      look(name, after);
    }
    return state(name);
  }
  /// As `kubist canary VERB` asks, and the look that answers.
  std::string ask(const std::string& verb) {
    home->patch(
        "canaryreleases.kubist.io", "web", "shop", kube::PatchType::merge,
        {{"metadata", {{"annotations", {{"kubist.io/request", cat(verb, "@", ++m_requests)}}}}}});
    look();
    return std::string(data::string_at(release(), {"status", "handledRequest", "outcome"}));
  }

 private:
  int m_requests = 0;
};

}  // namespace site
