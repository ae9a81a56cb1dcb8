// What a manifest item may not touch: other namespaces, kinds beyond its rights, Secrets of kubist.
#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>

#include "stage.hpp"

using namespace kubist;
using namespace kubist::deployers;
using stage::config_map;
using stage::Stage;
namespace wk = kube::well_known;

TEST_CASE("manifest item: within limits it keeps to its namespaces, Secrets and kinds") {
  Stage stage;
  auto limits = std::make_shared<ItemLimits>();
  limits->project = "shop";
  limits->check_namespace = [&](const std::string& ns) -> util::Result<> {
    if (ns == stage.place()) {
      return {};
    }
    util::Error error = util::make_error(util::ErrorKind::invalid, "not " + ns);
    error.reason = "NamespaceNotAllowed";
    return util::fail(std::move(error));
  };
  stage.world.place_of = [&](const std::string&, const std::string&) -> util::Result<Place> {
    return Place{
        .client = stage.as_project, .ns = stage.place(), .cluster = "place", .limits = limits};
  };
  const auto reason_of = [&](const std::string& name, const Json& config) {
    stage.make_item(name, "manifest", config);
    return stage.run(name).reason;
  };
  const auto secret = [&](const std::string& name, Json labels) {
    stage.make(wk::secrets(),
               {{"apiVersion", "v1"},
                {"kind", "Secret"},
                {"metadata",
                 {{"name", name}, {"namespace", stage.place()}, {"labels", std::move(labels)}}}});
  };
  secret("internal", {{std::string(k_internal_label), "true"}});
  secret("plain", {{"app", "x"}});
  Json away = config_map("away");
  away["metadata"]["namespace"] = stage.ns();
  CHECK(reason_of("away", {{"manifests", {config_map("a"), away}}}) == "NamespaceNotAllowed");

  const auto deployment = [](const std::string& mounted) -> Json {
    return {{"apiVersion", "apps/v1"},
            {"kind", "Deployment"},
            {"metadata", {{"name", "web"}}},
            {"spec",
             {{"replicas", 0},
              {"selector", {{"matchLabels", {{"app", "web"}}}}},
              {"template",
               {{"metadata", {{"labels", {{"app", "web"}}}}},
                {"spec",
                 {{"containers",
                   Json::array({{{"name", "c"},
                                 {"image", "none"},
                                 {"envFrom",
                                  Json::array({{{"secretRef", {{"name", mounted}}}}})}}})}}}}}}}};
  };
  CHECK(reason_of("mounts", {{"manifests", Json::array({deployment("internal")})}}) ==
        "SecretNotAllowed");
  const Json check{{"name", "oracle"},
                   {"labelSelector",
                    {{"apiVersion", "v1"}, {"kind", "Secret"}, {"matchLabels", {{"app", "x"}}}}},
                   {"requirements", Json::array({{{"jsonPath", ".data"}, {"operator", "!"}}})}};
  CHECK(reason_of("oracle", {{"manifests", Json::array({config_map("b")})},
                             {"readinessChecks", {{"custom", Json::array({check})}}}}) ==
        "SecretNotAllowed");
  CHECK(stage.take_writes() ==
        std::vector<std::string>{"create v1 ConfigMap/" + stage.place() + "/b"});
  // What one item made another one of the namespace may have, and by hand only with a grant.
  CHECK(reason_of("second", {{"manifests", Json::array({config_map("b", {{"k", "2"}})})}}) ==
        "Succeeded");
  stage.make(wk::config_maps(), [&] {
    Json by_hand = config_map("hand");
    by_hand["metadata"]["namespace"] = stage.place();
    return by_hand;
  }());
  CHECK(reason_of("hand", {{"manifests", Json::array({config_map("hand", {{"k", "2"}})})}}) ==
        "NameTaken");
  limits->kinds = {"ConfigMap"};
  CHECK(stage.run("hand", stage::k_force).reason == "Succeeded");
  CHECK(stage.get(wk::config_maps(), "hand")["data"]["k"] == "2");
}

TEST_CASE("manifest item: Secrets of kubist are out of reach") {
  Stage stage;
  stage.make(wk::secrets(), {{"apiVersion", "v1"},
                             {"kind", "Secret"},
                             {"metadata",
                              {{"name", "internal"},
                               {"namespace", stage.place()},
                               {"labels", {{std::string(k_internal_label), "true"}}}}},
                             {"stringData", {{"token", "planted-secret"}}}});
  stage.make_item("read", "manifest",
                  {{"manifests", {config_map("a")}},
                   {"exports",
                    {{"exports",
                      {{{"key", "token"},
                        {"jsonPath", ".data.token"},
                        {"fromResource",
                         {{"apiVersion", "v1"}, {"kind", "Secret"}, {"name", "internal"}}}}}}}}});
  const auto read = stage.run("read");
  CHECK(read.reason == "SecretNotAllowed");
  CHECK(stage.item("read").dump().find("planted-secret") == std::string::npos);
  stage.make_item("write", "manifest",
                  {{"manifests",
                    {{{"apiVersion", "v1"},
                      {"kind", "Secret"},
                      {"metadata", {{"name", "internal"}}},
                      {"stringData", {{"token", "mine"}}}}}}});
  CHECK(stage.run("write").phase == "Failed");
  CHECK(stage.take_writes() ==
        std::vector<std::string>{"create v1 ConfigMap/" + stage.place() + "/a"});
}
