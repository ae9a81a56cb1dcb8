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

TEST_CASE("secret_mask: malformed Secrets") {
  CHECK(masked(test::yaml("{apiVersion: v1, kind: Secret, data: hunter2}"))["data"] == "***");
  CHECK(masked(Json(3)) == 3);
}
