#include <functional>

#include <doctest/doctest.h>

#include <kubist/istio/preflight.hpp>

#include "evidence_support.hpp"

using namespace istio_test;
namespace kube = kubist::kube;

namespace {

Json expression(const char* key, const char* value) {
  return {{"key", key}, {"operator", "In"}, {"values", {value}}};
}

// Istio 1.30.3 of a revision, reduced to what the checks look at.
Bundle bundle(const std::string& revision = "default") {
  Bundle result;
  result.version = "1.30.3";
  result.revision = revision;
  result.ns = "istio-system";
  const Json metadata{{"name", with_revision("istiod", revision)},
                      {"namespace", "istio-system"},
                      {"labels", {{"app", "istiod"}, {"istio.io/rev", revision}}}};
  const std::vector<Json> objects{
      {{"apiVersion", "apps/v1"},
       {"kind", "Deployment"},
       {"metadata", metadata},
       {"spec", {{"selector", {{"matchLabels", {{"istio", "pilot"}}}}}}}},
      {{"apiVersion", "admissionregistration.k8s.io/v1"},
       {"kind", "MutatingWebhookConfiguration"},
       {"metadata",
        {{"name", with_revision("istio-sidecar-injector", revision)},
         {"labels", {{"istio.io/rev", revision}}}}},
       {"webhooks",
        {{{"name", "namespace.sidecar-injector.istio.io"},
          {"namespaceSelector",
           {{"matchExpressions",
             revision == "default"
                 ? Json{expression("istio-injection", "enabled")}
                 : Json{expression("istio.io/rev", revision.c_str()),
                        {{"key", "istio-injection"}, {"operator", "DoesNotExist"}}}}}},
          {"clientConfig", {{"service", {{"name", "istiod"}, {"namespace", "istio-system"}}}}}}}}}};
  for (const Json& object : objects) {
    kubist::resources::Manifest manifest;
    manifest.object = object;
    result.manifests.push_back(std::move(manifest));
  }
  return result;
}

std::string found(const Bundle& what, const Evidence& evidence,
                  const PreflightOptions& options = {}) {
  std::string codes;
  for (const Obstacle& each : find_obstacles(what, evidence, built_in_support(), options)) {
    CHECK(!each.message.empty());
    CHECK(!each.next.empty());
    codes += each.code + '\n';
  }
  return codes;
}

}  // namespace

TEST_CASE("preflight: nothing stands in the way of a fresh or an equal installation") {
  CHECK(found(bundle(), empty_cluster()) == "");
  CHECK(found(bundle(), healthy_cluster()) == "");
  CHECK(found(bundle("canary"), healthy_cluster()) == "");
}

TEST_CASE("preflight: each obstacle has its code") {
  const auto with = [](const std::function<void(Evidence&)>& change) {
    Evidence evidence = healthy_cluster();
    change(evidence);
    return evidence;
  };
  CHECK(found(bundle(), with([](Evidence& e) {
                e.services = tl::unexpected(Unread{"services", "forbidden:services", "no"});
              })) == "unknown:forbidden:services\n");
  CHECK(found(bundle(), with([](Evidence& e) { e.kubernetes_minor = 31; })) == "k8s-unsupported\n");
  CHECK(found(bundle(), with([](Evidence& e) { e.kubernetes_minor = 40; })) == "");
  CHECK(found(bundle(), with([](Evidence& e) {
                e.control_planes->front().image_version = "1.28.1";
              })) == "version-jump\n");
  CHECK(found(bundle(), with([](Evidence& e) {
                e.control_planes->front().image_version = "1.32.0";
              })) == "version-jump\n");
  CHECK(found(bundle(),
              with([](Evidence& e) { e.control_planes->front().image_version = "1.29.9"; })) == "");
  const Evidence helm = with([](Evidence& e) { e.control_planes->front().installer = "Helm"; });
  CHECK(found(bundle(), helm) == "foreign-owner:Helm\n");
  CHECK(found(bundle(), helm, {.adopt = true}) == "");
  CHECK(found(bundle("canary"), helm) == "");  // another revision is another matter
  CHECK(found(bundle(), with([](Evidence& e) {
                e.control_planes->front().selector = {{"matchLabels", {{"app", "istiod"}}}};
              })) == "selector-changed\n");
  const Evidence zero = with([](Evidence& e) { e.control_planes->front().wanted = 0; });
  CHECK(found(bundle(), zero) == "istiod-not-ready:scaled-to-0\n");
  CHECK(find_obstacles(bundle(), zero)[0].next ==
        "kubectl -n istio-system scale deployment/istiod --replicas=1, then run this again");
  Bundle scaling = bundle();
  scaling.manifests[0].object["spec"]["replicas"] = 2;
  CHECK(found(scaling, zero) == "");
  CHECK(found(bundle("canary"), zero) == "");
  CHECK(found(bundle(), with([](Evidence& e) {
                e.namespaces->push_back({"istio-system", Json::object(), true});
              })) == "namespace-terminating:istio-system\n");
  CHECK(found(bundle(),
              with([](Evidence& e) { e.injectors->push_back(injector("stable", "default")); }))
            .starts_with("injector-overlap\n"));
}

TEST_CASE("preflight: the rights asked for are those of the kinds in it, each place once") {
  Bundle what = bundle();
  kubist::resources::Manifest crd;
  crd.object = {{"apiVersion", "apiextensions.k8s.io/v1"},
                {"kind", "CustomResourceDefinition"},
                {"metadata", {{"name", "gateways.networking.istio.io"}}},
                {"spec",
                 {{"group", "networking.istio.io"},
                  {"scope", "Namespaced"},
                  {"names", {{"kind", "Gateway"}, {"plural", "gateways"}}}}}};
  what.manifests.push_back(crd);
  kubist::resources::Manifest gateway;
  gateway.object = {{"apiVersion", "networking.istio.io/v1"},
                    {"kind", "Gateway"},
                    {"metadata", {{"name", "a"}, {"namespace", "istio-ingress"}}}};
  what.manifests.push_back(gateway);
  what.manifests.push_back(gateway);
  const kube::ResourceIndex index(
      {kube::make_resource("apps", "v1", "Deployment", "deployments", true),
       kube::make_resource("admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration",
                           "mutatingwebhookconfigurations", false),
       kube::make_resource("apiextensions.k8s.io", "v1", "CustomResourceDefinition",
                           "customresourcedefinitions", false)});
  const auto questions = needed_rights(what, index);
  REQUIRE_MESSAGE(questions, questions.error().to_string());
  std::string asked;
  for (const kube::AccessQuestion& each : *questions) {
    asked += each.verb + ' ' + each.resource + '.' + each.group + ' ' + each.ns + '\n';
  }
  CHECK(questions->size() == 12);
  CHECK(asked.find("patch gateways.networking.istio.io istio-ingress\n") != asked.npos);
  CHECK(asked.find("create deployments.apps istio-system\n") != asked.npos);
  CHECK(asked.find("get mutatingwebhookconfigurations.admissionregistration.k8s.io \n") !=
        asked.npos);

  const auto unserved = needed_rights(what, kube::ResourceIndex({}));
  REQUIRE_FALSE(unserved);
  CHECK(unserved.error().message.find("does not serve apps/v1 Deployment") != std::string::npos);
}

TEST_CASE("preflight: what Kubernetes lets nobody change") {
  const auto crd = [](const char* version) {
    return Json{{"kind", "CustomResourceDefinition"},
                {"metadata", {{"name", "gateways.networking.istio.io"}}},
                {"spec", {{"versions", Json::array({Json{{"name", version}}})}}},
                {"status", {{"storedVersions", Json::array({"v1"})}}}};
  };
  CHECK(!find_immutable(crd("v1"), crd("v1")));
  const auto lost = find_immutable(crd("v1beta1"), crd("v1"));
  REQUIRE(lost);
  CHECK(lost->code == "stored-version:gateways.networking.istio.io");
  const auto binding = [](const char* role) {
    return Json{{"apiVersion", "rbac.authorization.k8s.io/v1"},
                {"kind", "RoleBinding"},
                {"metadata", {{"name", "istiod"}, {"namespace", "istio-system"}}},
                {"roleRef", {{"kind", "Role"}, {"name", role}}}};
  };
  CHECK(!find_immutable(binding("a"), binding("a")));
  CHECK(find_immutable(binding("a"), binding("b"))->code == "role-changed:RoleBinding/istiod");
}
