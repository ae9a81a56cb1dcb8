#include <array>
#include <thread>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>

#include "stage.hpp"

using namespace kubist;
using namespace kubist::deployers;
using stage::config_map;
using stage::Stage;
using State = Progress::State;
namespace wk = kube::well_known;

namespace {

Json entry(const std::string& policy, Json object) {
  return {{"policy", policy}, {"manifest", std::move(object)}};
}

Json upstream(Json manifests, Json more = Json::object()) {
  more["apiVersion"] = "manifest.deployer.landscaper.gardener.cloud/v1alpha2";
  more["kind"] = "ProviderConfiguration";
  more["manifests"] = std::move(manifests);
  return more;
}

std::vector<std::string> managed_names(const Json& item) {
  std::vector<std::string> names;
  const Json& list = item["status"]["providerStatus"]["managedResources"];
  for (const Json& one : list) {
    names.push_back(one["resource"]["kind"].get<std::string>() + "/" +
                    one["resource"]["name"].get<std::string>());
    CHECK_FALSE(data::string_at(one, {"resource", "uid"}).empty());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Json widget_crd(const std::string& group) {
  return {{"apiVersion", "apiextensions.k8s.io/v1"},
          {"kind", "CustomResourceDefinition"},
          {"metadata", {{"name", "widgets." + group}}},
          {"spec",
           {{"group", group},
            {"scope", "Namespaced"},
            {"names", {{"plural", "widgets"}, {"singular", "widget"}, {"kind", "Widget"}}},
            {"versions",
             {{{"name", "v1"},
               {"served", true},
               {"storage", true},
               {"schema",
                {{"openAPIV3Schema",
                  {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}}}}}}}}}}};
}

}  // namespace

TEST_CASE("manifest item: applies, finds nothing to do, corrects drift, prunes, deletes") {
  Stage stage;
  stage.make_item("app", "kubist.io/manifest",
                  {{"manifests", {config_map("a"), config_map("b")}},
                   {"yaml",
                    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n---\n"
                    "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
                    "stringData: {password: hidden-value}\n"}});
  CHECK(stage.run("app").phase == "Succeeded");
  CHECK(stage.get(wk::config_maps(), "a")["data"]["key"] == "value");
  CHECK(managed_names(stage.item("app")) ==
        std::vector<std::string>{"ConfigMap/a", "ConfigMap/b", "ConfigMap/c", "Secret/s"});
  CHECK(stage.take_writes().size() == 4);
  CHECK(stage.item("app").dump().find("hidden-value") != std::string::npos);  // its own spec
  CHECK(stage.item("app")["status"].dump().find("hidden-value") == std::string::npos);

  CHECK_FALSE(stage.run("app").ran);
  CHECK(stage.run("app", stage::k_force).phase == "Succeeded");
  CHECK(stage.take_writes().empty());

  stage.merge(wk::config_maps(), "a", {{"data", {{"key", "drifted"}}}});
  stage.remove_object(wk::config_maps(), "b");
  CHECK(stage.run("app", stage::k_force).phase == "Succeeded");
  CHECK(stage.get(wk::config_maps(), "a")["data"]["key"] == "value");
  CHECK(stage.take_writes().size() == 2);

  stage.set_config("app", {{"manifests", {config_map("b", {{"key", "new"}})}}});
  CHECK(stage.run("app").phase == "Succeeded");
  CHECK(managed_names(stage.item("app")) == std::vector<std::string>{"ConfigMap/b"});
  CHECK_FALSE(stage.exists(wk::config_maps(), "a"));
  CHECK_FALSE(stage.exists(wk::secrets(), "s"));
  CHECK(stage.get(wk::config_maps(), "b")["data"] == Json{{"key", "new"}});

  CHECK(stage.remove("app").state == State::done);
  CHECK_FALSE(stage.exists(wk::config_maps(), "b"));
  CHECK_FALSE(stage::home()->find(deploy_items(), stage.ns(), "app").value());
}

TEST_CASE("manifest item: upstream's type and policies") {
  Stage stage;
  stage.make(wk::config_maps(), {{"apiVersion", "v1"},
                                 {"kind", "ConfigMap"},
                                 {"metadata", {{"name", "theirs"}, {"namespace", stage.place()}}},
                                 {"data", {{"key", "theirs"}}}});
  const auto objects = [&](const std::string& value) {
    Json list = Json::array();
    for (const char* policy : {"manage", "fallback", "keep", "immutable", "ignore"}) {
      list.push_back(entry(policy, config_map(policy, {{"key", value}})));
    }
    list.push_back(entry("fallback", config_map("theirs", {{"key", value}})));
    return list;
  };
  stage.make_item("app", "landscaper.gardener.cloud/kubernetes-manifest", upstream(objects("one")));
  CHECK(stage.run("app").phase == "Succeeded");
  CHECK_FALSE(stage.exists(wk::config_maps(), "ignore"));
  CHECK(stage.get(wk::config_maps(), "theirs")["data"]["key"] == "theirs");

  stage.set_config("app", upstream(objects("two")));
  CHECK(stage.run("app").phase == "Succeeded");
  const auto value = [&](const std::string& name) {
    return stage.get(wk::config_maps(), name)["data"]["key"].get<std::string>();
  };
  CHECK(value("manage") == "two");
  CHECK(value("fallback") == "two");
  CHECK(value("keep") == "two");
  CHECK(value("immutable") == "one");
  CHECK(value("theirs") == "theirs");

  CHECK(stage.remove("app").state == State::done);
  CHECK_FALSE(stage.exists(wk::config_maps(), "manage"));
  CHECK_FALSE(stage.exists(wk::config_maps(), "fallback"));
  CHECK_FALSE(stage.exists(wk::config_maps(), "immutable"));
  CHECK(stage.exists(wk::config_maps(), "keep"));
  CHECK(stage.exists(wk::config_maps(), "theirs"));
}

TEST_CASE("manifest item: a CRD, a namespace and what needs them go in one item, and back") {
  Stage stage;
  const std::string group = stage.unique("example") + ".io";
  const std::string ns = stage.unique("made");
  const Json crd = widget_crd(group);
  Json widget{{"apiVersion", group + "/v1"},
              {"kind", "Widget"},
              {"metadata", {{"name", "w"}, {"namespace", ns}}},
              {"size", 3}};
  stage.make_item(
      "app", "manifest",
      {{"manifests",
        {widget, {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", ns}}}}, crd}},
       {"exports",
        {{"exports",
          {{{"key", "widget.size"},
            {"jsonPath", ".size"},
            {"fromResource",
             {{"apiVersion", group + "/v1"},
              {"kind", "Widget"},
              {"name", "w"},
              {"namespace", ns}}}}}}}}});
  CHECK(stage.run("app").phase == "Succeeded");
  CHECK(stage.exports("app") == Json{{"widget", {{"size", 3}}}});
  stage.take_writes();
  CHECK(stage.run("app", stage::k_force).phase == "Succeeded");
  CHECK(stage.take_writes().empty());
  CHECK(stage.remove("app").state == State::done);
  CHECK_FALSE(stage::home()->find(wk::namespaces(), "", ns).value());
  CHECK_FALSE(
      stage::home()->find(wk::custom_resource_definitions(), "", "widgets." + group).value());
}

TEST_CASE("manifest item: waits for readiness by watches, and says for what") {
  Stage stage;
  const std::string group = stage.unique("example") + ".io";
  const auto widgets = kube::make_resource(group, "v1", "Widget", "widgets", true);
  const auto ready = [](const char* status) {
    return Json{
        {"conditions",
         Json::array({{{"type", "Ready"}, {"status", status}, {"message", "warming up"}}})}};
  };
  const Json widget{{"apiVersion", group + "/v1"},
                    {"kind", "Widget"},
                    {"metadata", {{"name", "w"}}},
                    {"status", ready("False")}};
  stage.make_item("app", "kubist.io/manifest", {{"manifests", {widget_crd(group), widget}}});
  const auto outcome = stage.run_and(
      "app", "waiting for Widget " + stage.place() + "/w: InProgress, warming up", [&] {
        stage.merge(widgets, "w", {{"status", ready("True")}});
      });
  CHECK(outcome.phase == "Succeeded");
  CHECK(stage.remove("app").state == State::done);
}

TEST_CASE("manifest item: what is made is noted before, and any kubist goes on from there") {
  Stage stage;
  const auto refused = [](const std::string& name) {
    Json map = config_map(name);
    map["metadata"]["labels"] = {{"x", "no label's value!"}};  // the API server says so
    return map;
  };
  stage.make_item("app", "manifest", {{"manifests", {refused("a")}}});
  CHECK(stage.run("app").phase == "Failed");
  CHECK_FALSE(stage.exists(wk::config_maps(), "a"));
  const Json noted = stage.item("app")["status"]["providerStatus"]["managedResources"];
  REQUIRE(noted.size() == 1);
  CHECK_FALSE(noted[0]["resource"].contains("uid"));
  stage.set_config("app", {{"manifests", {config_map("a")}}});
  CHECK(stage.run("app").phase == "Succeeded");
  CHECK(stage.exists(wk::config_maps(), "a"));
  // Deleted between noting and making: nothing is left behind, nothing of others is touched.
  stage.make_item("half", "manifest", {{"manifests", {refused("b")}}});
  CHECK(stage.run("half").phase == "Failed");
  CHECK(stage.item("half")["status"]["providerStatus"]["managedResources"].size() == 1);
  Json theirs = config_map("b");
  theirs["metadata"]["namespace"] = stage.place();
  stage.make(wk::config_maps(), theirs);
  CHECK(stage.remove("half").state == State::done);
  CHECK(stage.exists(wk::config_maps(), "b"));
}

TEST_CASE("manifest item: two kubists at once, ten times, without an error") {
  Stage stage;
  stage.make_item("app", "manifest", {{"manifests", {config_map("a"), config_map("b")}}});
  for (int i = 0; i < 10; ++i) {
    stage.set_config(
        "app",
        {{"manifests",
          {config_map("a", {{"n", std::to_string(i)}}), config_map("c" + std::to_string(i))}}});
    std::array<util::Result<ItemOutcome>, 2> outcomes;
    {
      const auto run = [&](std::size_t which) {
        outcomes[which] = run_item(stage.world, stage.ns(), "app", {});
      };
      const std::jthread first(run, 0);
      const std::jthread second(run, 1);
    }
    for (const auto& outcome : outcomes) {
      REQUIRE_MESSAGE(outcome, outcome.error().to_string());
      CHECK_MESSAGE(outcome->phase == "Succeeded", outcome->message);
    }
    CHECK(stage.get(wk::config_maps(), "a")["data"]["n"] == std::to_string(i));
    CHECK(managed_names(stage.item("app")).size() == 2);
    CHECK_FALSE(stage.exists(wk::config_maps(), "c" + std::to_string(i - 1)));
  }
}

TEST_CASE("manifest item: a real Deployment") {
  Stage stage;
  const Json container{
      {"name", "c"}, {"image", "localhost/busybox:1"}, {"command", {"sleep", "3600"}}};
  const Json deployment{
      {"apiVersion", "apps/v1"},
      {"kind", "Deployment"},
      {"metadata", {{"name", "web"}}},
      {"spec",
       {{"replicas", 1},
        {"selector", {{"matchLabels", {{"app", "web"}}}}},
        {"template",
         {{"metadata", {{"labels", {{"app", "web"}}}}},
          {"spec",
           {{"terminationGracePeriodSeconds", 0}, {"containers", Json::array({container})}}}}}}}};
  const Json exported{
      {"key", "ready"},
      {"jsonPath", ".status.readyReplicas"},
      {"fromResource", {{"apiVersion", "apps/v1"}, {"kind", "Deployment"}, {"name", "web"}}}};
  stage.make_item(
      "app", "manifest",
      {{"manifests", {deployment}}, {"exports", {{"exports", Json::array({exported})}}}},
      {{"timeout", "60s"}});
  CHECK(stage.run("app").phase == "Succeeded");
  CHECK(stage.exports("app") == Json{{"ready", 1}});
  stage.take_writes();
  CHECK(stage.run("app", stage::k_force).phase == "Succeeded");
  CHECK(stage.take_writes().empty());
  CHECK(stage.remove("app").state == State::done);
}

TEST_CASE("manifest item: custom checks by name and label, exports that come late") {
  Stage stage;
  Json labelled = config_map("labelled", {{"state", "no"}});
  labelled["metadata"]["labels"] = {{"app", "x"}};
  const Json checks{
      {"disableDefault", true},
      {"custom",
       {{{"name", "by name"},
         {"resourceSelector", {{{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"name", "other"}}}},
         {"requirements", {{{"jsonPath", ".data.state"}, {"operator", "exists"}}}}},
        {{"name", "by label"},
         {"labelSelector",
          {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"matchLabels", {{"app", "x"}}}}},
         {"requirements",
          {{{"jsonPath", ".data.state"},
            {"operator", "in"},
            {"values", {{{"value", "yes"}}, {{"value", "ok"}}}}}}}}}}};
  const Json exports{
      {"exports",
       {{{"key", "late"},
         {"jsonPath", ".data.late"},
         {"fromResource", {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"name", "other"}}}}}}};
  stage.make_item("app", "landscaper.gardener.cloud/kubernetes-manifest",
                  upstream({entry("immutable", labelled)},
                           {{"readinessChecks", checks}, {"exports", exports}}));
  const auto outcome = stage.run_and("app", "check by name: ConfigMap other does not exist", [&] {
    Json other = config_map("other", {{"state", "any"}});
    other["metadata"]["namespace"] = stage.place();
    stage.make(wk::config_maps(), other);
    stage.merge(wk::config_maps(), "labelled", {{"data", {{"state", "ok"}}}});
    stage.merge(wk::config_maps(), "other", {{"data", {{"late", "here"}}}});
  });
  CHECK(outcome.phase == "Succeeded");
  CHECK(stage.exports("app") == Json{{"late", "here"}});
}

TEST_CASE("manifest item: a timeout names the check and the object") {
  Stage stage;
  const Json checks{
      {"custom",
       {{{"name", "never"},
         {"resourceSelector", {{{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"name", "a"}}}},
         {"requirements",
          {{{"jsonPath", ".data.key"}, {"operator", "=="}, {"values", {{{"value", "x"}}}}}}}}}}};
  stage.make_item("app", "manifest",
                  {{"manifests", {config_map("a")}}, {"readinessChecks", checks}},
                  {{"timeout", "10s"}});
  const auto outcome = stage.run("app");
  CHECK(outcome.reason == "Timeout");
  CHECK(outcome.message.find("check never: ConfigMap " + stage.place() +
                             "/a: .data.key == \"x\"") != std::string::npos);
}

TEST_CASE("manifest item: works in the fields of landscaper's own CRD") {
  Stage stage;
  stage.world.settings.foreign_crd = true;
  const Json exported{
      {"key", "value"},
      {"jsonPath", ".data.key"},
      {"fromResource", {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"name", "a"}}}};
  stage.make_item(
      "app", "kubist.io/manifest",
      {{"manifests", {config_map("a")}}, {"exports", {{"exports", Json::array({exported})}}}});
  CHECK(stage.run("app").phase == "Succeeded");
  CHECK(stage.exports("app") == Json{{"value", "value"}});
  CHECK_FALSE(stage.run("app").ran);
  stage.take_writes();
  CHECK(stage.run("app", stage::k_force).phase == "Succeeded");
  CHECK(stage.take_writes().empty());
  CHECK(stage.item("app")["status"]["providerStatus"]["managedResources"].size() == 1);
  CHECK(stage.remove("app").state == State::done);
  CHECK_FALSE(stage.exists(wk::config_maps(), "a"));
}

TEST_CASE("manifest item: what cannot be applied is said, what could be is known") {
  Stage stage;
  Json bad = config_map("bad");
  bad["data"] = {{"not a key!", "x"}};
  stage.make_item("app", "manifest", {{"manifests", {config_map("good"), bad}}});
  const auto outcome = stage.run("app");
  CHECK(outcome.phase == "Failed");
  CHECK(outcome.message.find("not a key!") != std::string::npos);
  CHECK(outcome.message.find("bad") != std::string::npos);
  const Json item = stage.item("app");
  CHECK(item["status"]["providerStatus"]["managedResources"].size() == 2);
  CHECK(stage.remove("app").state == State::done);
  CHECK_FALSE(stage.exists(wk::config_maps(), "good"));

  stage.make_item(
      "kind", "manifest",
      {{"manifests",
        {{{"apiVersion", "none.io/v1"}, {"kind", "Nothing"}, {"metadata", {{"name", "x"}}}}}}});
  const auto unknown = stage.run("kind");
  CHECK(unknown.phase == "Failed");
  CHECK(unknown.message.find("Nothing") != std::string::npos);
}
