// Jobs of releases beside somebody else's Landscaper.
#include "release_site.hpp"

using namespace site;

namespace {

/// The CRD that the Landscaper brings along: kubist's own fields are not in it.
Json upstream_crd() {
  return yaml(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: deployitems.landscaper.gardener.cloud}
spec:
  group: landscaper.gardener.cloud
  scope: Namespaced
  names: {kind: DeployItem, plural: deployitems}
  versions:
  - name: v1alpha1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              type: {type: string}
              timeout: {type: string}
              config: {type: object, x-kubernetes-preserve-unknown-fields: true}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
)");
}

constexpr const char* k_job = "{job: {name: smoke, image: busybox}}";
constexpr const char* k_metric =
    "{analysis: {metrics: [{name: smoke, provider: {job: {spec: {template: {spec: {containers: "
    "[{name: c, image: busybox}]}}}}}}]}}";

std::string release(const std::string& more) {
  return cat("{destination: web, stable: v1, canary: v2, routes: [web], interval: 1s, bake: 0s, ",
             more, "}");
}
std::string steps(const char* step) { return cat("steps: [{setWeight: 50}, ", step, "]"); }

}  // namespace

TEST_CASE(
    "release jobs: beside a Landscaper a job's DeployItem has its fields, however it is asked") {
  for (const std::string& spec :
       {release(cat("policies: [{name: Steps, parameters: {", steps(k_job), "}}]")),
        release(cat("policies: [{name: Steps, parameters: {", steps(k_metric), "}}]")),
        release(cat("policies: [{name: stepspolicy, parameters: {", steps(k_job), "}}]")),
        release(cat("policies: [{name: Steps}], settings: {", steps(k_job), "}"))}) {
    CAPTURE(spec);
    Shop s(Json{{"allow", {{"jobs", {"busybox"}}}}});
    s.home->remove("customresourcedefinitions", "deployitems.landscaper.gardener.cloud");
    s.home->put(upstream_crd());
    s.open();
    s.route("web");
    s.apply("CanaryRelease", "web", spec);
    s.settle();
    for (int looks = 0; looks < 5; ++looks) {
      s.look();
    }
    const auto items = s.home->list("deployitems.landscaper.gardener.cloud", "shop");
    REQUIRE_MESSAGE(items.size() == 1, s.release()["status"].dump());
    CHECK(data::string_at(items[0], {"spec", "config", "kind"}) == "ItemConfiguration");
  }
}
