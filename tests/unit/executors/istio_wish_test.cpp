#include "world/istio_wish.hpp"

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
  const Json object =
      project({"https://example.com/*", "http://169.254.169.254/*", "http://[fe80::1]/*",
               "https://10.0.0.1/*", "http://[febf::1]:80/*"});
  CHECK(check_istio_grant(&object, from_url("https://example.com/a@b")));
  for (const char* url : {"http://169.254.169.254/latest", "http://[fe80::1]/a",
                          "https://example.com@10.0.0.1/a", "http://[FEBF::1]:80/"}) {
    const auto refused = check_istio_grant(&object, from_url(url));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().reason == "IstioInstallNotGranted");
  }
}

TEST_CASE("spec.istio: what a Job renders is granted by image and arguments") {
  const auto from_image = [](const Json& render, const Json& version = "v1.31.0") {
    return istio_wish({{"istio",
                        {{"mode", "Install"},
                         {"version", version},
                         {"source", {{"render", render}, {"sha256", "ab"}}}}}});
  };
  const IstioWish plain = from_image(Json::object());
  CHECK(plain.renders);
  CHECK(plain.sha256 == "ab");
  CHECK(plain.rendering.ns == "default");
  CHECK(plain.source() == "Image/docker.io/istio/istioctl:1.31.0 manifest generate");
  const IstioWish minimal = from_image({{"image", "localhost/istioctl:1"},
                                        {"namespace", "tools"},
                                        {"args", {"manifest", "generate", "--set", "a=b"}}});
  CHECK(minimal.rendering.ns == "tools");
  CHECK(minimal.source() == "Image/localhost/istioctl:1 manifest generate --set a=b");
  const auto granted = [](const char* source, const IstioWish& wish) {
    const Json object = project(Json::array({source}));
    return check_istio_grant(&object, wish).has_value();
  };
  CHECK(granted("Image/docker.io/istio/istioctl:*", plain));
  CHECK(granted("Image/docker.io/istio/istioctl:1.31.0 manifest generate", plain));
  CHECK_FALSE(granted("Image/docker.io/istio/istioctl:*", minimal));
  CHECK(granted("Image/localhost/*", minimal));
  CHECK_FALSE(granted("Image/localhost/istioctl:1 manifest generate", minimal));
  CHECK_FALSE(granted("ConfigMap/*", plain));
}
