#include <kubist/resources/secret_mask.hpp>

#include "support.hpp"

using namespace kubist;
using namespace kubist::resources;
using data::Json;

namespace {
Json masked(const Json& object) { return masked_pair(object, object).first; }
}  // namespace

TEST_CASE("secret_mask: data, stringData and last-applied of Secrets") {
  Json secret = test::yaml(R"(
apiVersion: v1
kind: Secret
metadata:
  name: s
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"v1","kind":"Secret","data":{"a":"aHVudGVyMg=="},"stringData":{"b":"hunter2"}}
data: {a: aHVudGVyMg==}
stringData: {b: hunter2}
type: Opaque
)");
  std::string text = masked(secret).dump();
  CHECK(text.find("aHVudGVyMg") == std::string::npos);
  CHECK(text.find("hunter2") == std::string::npos);
  CHECK(masked(secret)["data"]["a"] == "***");
  CHECK(masked(secret)["type"] == "Opaque");
}

TEST_CASE("secret_mask: an annotation that does not parse is hidden whole") {
  Json secret = test::yaml(
      "{apiVersion: v1, kind: Secret, metadata: {annotations: "
      "{kubectl.kubernetes.io/last-applied-configuration: 'x hunter2'}}}");
  CHECK(masked(secret).dump().find("hunter2") == std::string::npos);
}

TEST_CASE("secret_mask: import values of a DeployItem, by its two names of the field") {
  for (const char* field : {"config", "providerConfig"}) {
    CAPTURE(field);
    Json item = test::yaml(R"(
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: DeployItem
metadata: {name: i}
spec: {type: kubist.io/script}
)");
    item["spec"][field] = {{"script", "true"}, {"importValues", {{"a", "hunter2"}, {"b", {1}}}}};
    Json other = item;
    other["spec"][field]["importValues"]["a"] = "hunter3";
    other["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] =
        item.dump();
    const auto [from, to] = masked_pair(item, other);
    CHECK((from.dump() + to.dump()).find("hunter") == std::string::npos);
    CHECK(from["spec"][field]["importValues"]["a"] == "*** (before)");
    CHECK(to["spec"][field]["importValues"]["a"] == "*** (after)");
    CHECK(to["spec"][field]["importValues"]["b"] == "***");
    CHECK(to["spec"][field]["script"] == "true");
  }
  CHECK(masked(test::yaml(
            "{apiVersion: landscaper.gardener.cloud/v1alpha1, kind: DeployItem, "
            "spec: {config: {importValues: word}}}"))["spec"]["config"]["importValues"] == "***");
}

TEST_CASE("secret_mask: Secrets among the manifests of a DeployItem, also in a list") {
  const Json item = test::yaml(R"(
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: DeployItem
metadata: {name: i}
spec:
  type: kubist.io/manifest
  config:
    manifests:
    - manifest: {apiVersion: v1, kind: Secret, metadata: {name: a}, stringData: {word: hunter2}}
    - apiVersion: v1
      kind: List
      items: [{apiVersion: v1, kind: Secret, metadata: {name: b}, data: {word: aHVudGVyMg==}}]
)");
  Json other = item;
  other["spec"]["config"]["manifests"][0]["manifest"]["stringData"]["word"] = "hunter3";
  other["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] =
      item.dump();
  const auto [from, to] = masked_pair(item, other);
  const std::string all = from.dump() + to.dump();
  CHECK(all.find("hunter") == std::string::npos);
  CHECK(all.find("aHVudGVy") == std::string::npos);
  const Json& manifests = to["spec"]["config"]["manifests"];
  CHECK(manifests[0]["manifest"]["stringData"]["word"] == "*** (after)");
  CHECK(manifests[1]["items"][0]["data"]["word"] == "***");
  CHECK(manifests[1]["items"][0]["metadata"]["name"] == "b");
  Json without = item;
  without["spec"].erase("config");
  const auto [less, more] = masked_pair(without, item);
  CHECK(more.dump().find("hunter") == std::string::npos);
}

TEST_CASE("secret_mask: each field of an item's configuration, where templates may have written") {
  const Json item = test::yaml(R"(
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: DeployItem
metadata: {name: i, annotations: {kubectl.kubernetes.io/last-applied-configuration: hunter2}}
spec: {type: kubist.io/script, config: {script: echo hunter2, env: [{name: A, value: b}]}}
)");
  Json other = item;
  other["spec"]["config"]["script"] = "echo hunter3";
  const auto [from, to] = masked_item(item, other);
  CHECK((from.dump() + to.dump()).find("hunter") == std::string::npos);
  CHECK(from["spec"]["config"] == Json{{"script", "*** (before)"}, {"env", "***"}});
  CHECK(to["spec"]["config"]["script"] == "*** (after)");
  CHECK(masked_item(Json(), item).second["spec"]["config"]["env"] == "***");
}

TEST_CASE("secret_mask: malformed Secrets") {
  CHECK(masked(test::yaml("{apiVersion: v1, kind: Secret, data: hunter2}"))["data"] == "***");
  CHECK(masked(Json(3)) == 3);
}
