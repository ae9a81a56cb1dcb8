#include "istio_wish.hpp"

#include <doctest/doctest.h>

using namespace kubist;
using namespace kubist::executors;
using data::Json;

namespace {

Json project(const Json& sources) {
  return {{"kind", "Project"}, {"spec", {{"istioInstall", {{"sources", sources}}}}}};
}

IstioWish from_config_map() {
  return istio_wish({{"istio",
                      {{"mode", "Install"},
                       {"source", {{"configMapRef", {{"name", "istio"}, {"key", "all"}}}}}}}});
}

IstioWish from_url(const std::string& url) {
  return istio_wish({{"istio", {{"mode", "Install"}, {"source", {{"url", url}}}}}});
}

}  // namespace

TEST_CASE("spec.istio: what counts by default") {
  CHECK(istio_wish(Json::object()).mode == "Check");
  CHECK(istio_wish(Json::object()).scope.revision.empty());
  CHECK(from_config_map().scope.revision == "default");
  CHECK(istio_wish({{"istio", {{"mode", "Install"}, {"revision", "canary"}}}}).scope.revision ==
        "canary");
  CHECK(from_config_map().source() == "ConfigMap/istio");
  CHECK(from_url("https://example.com/a").source() == "https://example.com/a");
}

TEST_CASE("spec.istio: the Project grants where Istio may come from") {
  const auto granted = [](const Json& sources, const IstioWish& wish) {
    const Json object = project(sources);
    return check_istio_grant(&object, wish).has_value();
  };
  CHECK(granted(Json::array({"ConfigMap/istio"}), from_config_map()));
  CHECK(granted(Json::array({"ConfigMap/*"}), from_config_map()));
  CHECK_FALSE(granted(Json::array(), from_config_map()));
  CHECK_FALSE(granted(Json::array({"ConfigMap/other"}), from_config_map()));
  CHECK(
      granted(Json::array({"https://example.com/*"}), from_url("https://example.com/istio.yaml")));
  CHECK_FALSE(
      granted(Json::array({"https://example.com/*"}), from_url("https://example.org/istio.yaml")));
  CHECK_FALSE(granted(Json::array({"https://example.com/*"}), from_config_map()));
  const auto refused = check_istio_grant(nullptr, from_config_map());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().reason == "IstioInstallNotGranted");
}

TEST_CASE("spec.istio: no pattern grants addresses of the link or with a user's name") {
  const Json object = project(Json::array({"*"}));
  CHECK(check_istio_grant(&object, from_url("https://example.com/a@b")));
  for (const char* url : {"http://169.254.169.254/latest", "http://[fe80::1]/a",
                          "https://example.com@10.0.0.1/a", "http://[FEBF::1]:80/"}) {
    const auto refused = check_istio_grant(&object, from_url(url));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().reason == "IstioInstallNotGranted");
  }
}
