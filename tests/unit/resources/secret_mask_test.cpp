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
  Json secret = test::yaml("{apiVersion: v1, kind: Secret, metadata: {annotations: "
                           "{kubectl.kubernetes.io/last-applied-configuration: 'x hunter2'}}}");
  CHECK(masked(secret).dump().find("hunter2") == std::string::npos);
}

TEST_CASE("secret_mask: malformed Secrets") {
  CHECK(masked(test::yaml("{apiVersion: v1, kind: Secret, data: hunter2}"))["data"] == "***");
  CHECK(masked(Json(3)) == 3);
}
