#pragma once
#include <string>
#include <tuple>

#include <kubist/util/text.hpp>

#include "support.hpp"

namespace it {

/// The kinds of Istio and the Gateway API that kubist writes, with any fields; gone with this.
class MeshKinds {
 public:
  MeshKinds() {
    std::string text;
    for (const auto& [group, kind, plural] :
         {std::tuple{"networking.istio.io", "VirtualService", "virtualservices"},
          std::tuple{"networking.istio.io", "DestinationRule", "destinationrules"},
          std::tuple{"networking.istio.io", "Gateway", "gateways"},
          std::tuple{"networking.istio.io", "ServiceEntry", "serviceentries"},
          std::tuple{"gateway.networking.k8s.io", "HTTPRoute", "httproutes"}}) {
      const Json any{{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
      const Json version{{"name", "v1"},
                         {"served", true},
                         {"storage", true},
                         {"subresources", {{"status", Json::object()}}},
                         {"schema", {{"openAPIV3Schema", any}}}};
      const Json crd{{"apiVersion", "apiextensions.k8s.io/v1"},
                     {"kind", "CustomResourceDefinition"},
                     {"metadata",
                      {{"name", std::string(plural) + '.' + group},
                       {"annotations", {{"api-approved.kubernetes.io", "unapproved, a test"}}}}},
                     {"spec",
                      {{"group", group},
                       {"scope", "Namespaced"},
                       {"names", {{"kind", kind}, {"plural", plural}}},
                       {"versions", Json::array({version})}}}};
      text += crd.dump() + '\n';
    }
    m_crds = text;
    must(kubectl("home", {"create", "-f", "-"}, m_crds));
    must(kubectl("home", {"wait", "--for=condition=Established", "--timeout=120s", "-f", "-"},
                 m_crds));
  }
  ~MeshKinds() { kubectl("home", {"delete", "-f", "-"}, m_crds); }
  MeshKinds(const MeshKinds&) = delete;
  MeshKinds& operator=(const MeshKinds&) = delete;

 private:
  std::string m_crds;
};

/// A pod that nothing runs, said to be ready.
inline void make_ready_pod(const std::string& ns, const std::string& version) {
  const std::string name = "web-" + version;
  put("home",
      {yaml(kubist::util::cat("{apiVersion: v1, kind: Pod, metadata: {name: ", name,
                              ", namespace: ", ns, ", labels: {app: web, version: ", version,
                              "}}, spec: {nodeSelector: {kubist.io/test: nowhere}, "
                              "automountServiceAccountToken: false, "
                              "containers: [{name: main, image: 'localhost/busybox:1'}]}}"))});
  patch("home", "pod", name, ns, kubist::kube::PatchType::strategic,
        yaml("{status: {conditions: [{type: Ready, status: 'True'}]}}"), "status");
}

}  // namespace it
