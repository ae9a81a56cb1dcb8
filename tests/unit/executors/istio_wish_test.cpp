#include "world/istio_wish.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include <kubist/engine/graph.hpp>

#include "site.hpp"
#include "support/objects.hpp"

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

TEST_CASE("spec.istio: a version is enough, with a mirror and a profile where they are wanted") {
  const IstioWish plain = istio_wish({{"istio", {{"version", "1.31.0"}}}});
  CHECK(plain.installs());
  CHECK(plain.scope.revision == "default");
  CHECK(plain.source() == "Image/docker.io/istio/istioctl:1.31.0 manifest generate");
  const IstioWish mirrored = istio_wish(
      {{"istio",
        {{"version", "v1.31.0"}, {"hub", "mirror.example/istio"}, {"profile", "minimal"}}}});
  CHECK(mirrored.source() ==
        "Image/mirror.example/istio/istioctl:1.31.0 manifest generate --set profile=minimal --set "
        "hub=mirror.example/istio");
  CHECK(istio_wish({{"istio", {{"version", "1.31.0"}, {"mode", "Check"}}}}).mode == "Check");
  const IstioWish nothing = istio_wish({{"istio", {{"mode", "Install"}}}});
  const Json object = project({"*"});
  const auto refused = check_istio_grant(&object, nothing);
  REQUIRE(!refused);
  CHECK(refused.error().reason == "IstioSourceInvalid");
}

namespace {

/// What a Cluster with that spec.istio wants below that Project and Root, and is it granted there?
std::pair<IstioWish, std::string> wish_below(const Json& root, const Json& project,
                                             const Json& cluster) {
  const auto with = [](const Json& istio) {
    return istio.is_null() ? Json::object() : Json{{"istio", istio}};
  };
  Json home = with(cluster);
  home["home"] = true;
  std::vector<engine::Node> nodes;
  for (Json object : {testing::object("Root", "", "root", with(root)),
                      testing::object("Project", "", "shop", with(project)),
                      testing::object("Cluster", "shop", "home", home)}) {
    object["metadata"]["uid"] = object["kind"];
    nodes.push_back(engine::make_node(std::move(object)));
  }
  const engine::Graph graph = engine::Graph::build(std::move(nodes));
  const auto ids = graph.find({"kubist.io", "Cluster", "shop", "home"});
  REQUIRE(ids.size() == 1);
  const engine::Node& node = graph[ids[0]];
  IstioWish wish = istio_wish(graph, node, node.spec());
  const auto granted = check_istio_grant(graph[node.parent].object.get(), wish);
  return {wish, granted ? "" : granted.error().reason};
}

}  // namespace

TEST_CASE("spec.istio: a Cluster has what it leaves out from its Project, and then from the Root") {
  const auto [wish, refused] = wish_below({{"version", "1.30.0"}, {"hub", "mirror.example/istio"}},
                                          {{"version", "1.31.0"}}, {{"mode", "Check"}});
  CHECK(wish.mode == "Check");
  CHECK(wish.version == "1.31.0");
  CHECK(wish.rendering.image == "mirror.example/istio/istioctl:1.31.0");
  CHECK(wish_below(nullptr, nullptr, nullptr).first.mode == "Check");
  CHECK(wish_below({{"version", "1.31.0"}}, nullptr, nullptr).first.installs());
}

TEST_CASE("spec.istio: what Root and Project want needs no grant, what a Cluster adds does") {
  const Json wanted{{"version", "1.31.0"}};
  CHECK(wish_below(wanted, nullptr, nullptr).second.empty());
  CHECK(wish_below(nullptr, wanted, nullptr).second.empty());
  CHECK(wish_below(nullptr, wanted, wanted).second.empty());
  CHECK(wish_below(nullptr, {{"version", "1.31.0"}, {"mode", "Check"}}, {{"mode", "Install"}})
            .second == "IstioInstallNotGranted");
  const Json elsewhere{{"render",
                        {{"namespace", "shop"},
                         {"image", "docker.io/istio/istioctl:1.31.0"},
                         {"args", {"manifest", "generate"}}}}};
  for (const Json& more :
       {Json{{"version", "1.30.0"}}, Json{{"hub", "evil.example"}}, Json{{"namespace", "mine"}},
        Json{{"revision", "mine"}}, Json{{"profile", "demo"}}, Json{{"source", elsewhere}}}) {
    CAPTURE(more.dump());
    CHECK(wish_below(wanted, wanted, more).second == "IstioInstallNotGranted");
  }
}

TEST_CASE("spec.istio: a ConfigMap is the word of who writes it, but for a digest from above") {
  Json wanted{{"mode", "Install"}, {"source", {{"configMapRef", {{"name", "istio"}}}}}};
  CHECK(wish_below(wanted, nullptr, nullptr).second == "IstioInstallNotGranted");
  CHECK(wish_below(nullptr, wanted, nullptr).second == "IstioInstallNotGranted");
  const Json without = wanted;
  wanted["source"]["sha256"] = std::string(64, 'a');
  CHECK(wish_below(wanted, nullptr, nullptr).second.empty());
  CHECK(wish_below(nullptr, without, {{"source", wanted["source"]}}).second ==
        "IstioInstallNotGranted");
}

TEST_CASE("spec.istio: a granted image runs in no namespace that members may write pods in") {
  const Json object = project({"Image/docker.io/istio/istioctl:*"});
  const auto in = [&](const char* ns) {
    return check_istio_grant(
        &object,
        istio_wish(
            {{"istio", {{"version", "1.31.0"}, {"source", {{"render", {{"namespace", ns}}}}}}}}));
  };
  CHECK(in("default"));
  CHECK(in("istio-system"));
  REQUIRE(!in("shop"));
  CHECK(in("shop").error().reason == "IstioInstallNotGranted");
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
                                        {"namespace", "kube-tools"},
                                        {"args", {"manifest", "generate", "--set", "a=b"}}});
  CHECK(minimal.rendering.ns == "kube-tools");
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

TEST_CASE(
    "spec.istio: a home Cluster tells no names of namespaces that its project does not keep") {
  istio::Evidence evidence;
  evidence.namespaces->push_back({"mine", {}, false, "home/VirtualCluster.kubist.io/shop/dev"});
  evidence.namespaces->push_back({"far", {}, false, "elsewhere/VirtualCluster.kubist.io/shop/a"});
  evidence.namespaces->push_back({"other", {}, false, "home/VirtualCluster.kubist.io/bank/dev"});
  for (const char* ns : {"shop", "mine", "far", "other", "plain"}) {
    evidence.members.push_back({ns, 1, {"web"}, {}});
  }
  const auto told = [&](const char* home_uid) {
    const engine::Node node = engine::make_node(testing::object("Cluster", "shop", "x"));
    std::vector<std::string> found;
    for (const auto& each :
         judge_istio(evidence, istio_wish(Json::object()), node, home_uid).findings) {
      if (each.code.starts_with("not-injected")) {
        found.push_back(each.code);
      }
    }
    return found;
  };
  CHECK(told("home") ==
        std::vector<std::string>{"not-injected:shop", "not-injected:mine", "not-injected"});
  CHECK(told("").size() == 5);  // by a kubeconfig
}

TEST_CASE("spec.istio: a Cluster that its policies lead home tells no such names either") {
  site::Site s;
  s.make_project("shop");
  Json bank = testing::plain("Namespace", "", "bank-dev");
  bank["metadata"]["labels"] = {{"istio-injection", "enabled"}, {"istio.io/rev", "old"}};
  s.home->put(bank);
  s.home->put(testing::yaml(
      "{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, "
      "metadata: {name: injector}, webhooks: [{name: namespace.sidecar-injector.istio.io, "
      "clientConfig: {service: {namespace: istio-system, name: istiod}}}]}"));
  s.put("Cluster", "shop", "near",
        testing::yaml(
            "{kubeconfigSecretRef: {name: nosuch}, istio: {mode: Check}, policies: [{name: "
            "JsonPatch, parameters: {patch: [{op: add, path: /spec/home, value: true}, {op: "
            "remove, path: /spec/kubeconfigSecretRef}]}}]}"));
  s.reconcile();
  const Json cluster = s.get("clusters", "shop", "near");
  const Json& reasons = data::array_at(cluster, {"status", "istio", "reasons"});
  CHECK_MESSAGE(std::count(reasons.begin(), reasons.end(), Json("conflicting-labels")) == 1,
                cluster["status"].dump());
  CHECK_MESSAGE(cluster["status"].dump().find("bank") == std::string::npos,
                cluster["status"].dump());
}
