// What others change of an item's objects, seen by a run that has no other work.
#include <stdexcept>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/deployers/runner.hpp>
#include <kubist/util/text.hpp>

#include "support/fake_cluster.hpp"

using namespace kubist;
using namespace kubist::deployers;
using kube::PatchType;

namespace {

Json kept_map(const std::string& name, const Json& annotations = Json::object()) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", name}, {"annotations", annotations}}},
          {"data", {{"key", "value"}}}};
}

/// Manifest items in namespace `default`, kept there.
struct Items {
  Items() {
    world.home = cluster.connect();
    world.place_of = [this](const std::string& ns, const std::string&) {
      return Place{world.home, ns, ""};
    };
    world.keeps = [this](KeptObjects now) { kept = std::move(now); };
    write_as(kube::DryRun::none);
  }
  void write_as(kube::DryRun dry_run) {
    kube::Writer::Rules rules;
    rules.dry_run = dry_run;
    rules.told = [this](const kube::Write& write) {
      if (write.object.find("DeployItem") == std::string::npos) {
        told.push_back(util::cat(write.object, ": ", write.detail));
      }
    };
    world.writer = kube::Writer(rules);
  }
  void make(const std::string& name, const Json& manifests, const Json& more = Json::object()) {
    Json config = more;
    config["manifests"] = manifests;
    cluster.put({{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                 {"kind", "DeployItem"},
                 {"metadata", {{"name", name}, {"namespace", "default"}}},
                 {"spec", {{"type", "kubist.io/manifest"}, {"config", config}}}});
    CHECK(run(name).phase == "Succeeded");
    told.clear();
    cluster.forget_log();
  }
  ItemOutcome run(const std::string& name) {
    const auto outcome = run_item(world, "default", name);
    REQUIRE_MESSAGE(outcome, (outcome ? "" : outcome.error().to_string()));
    return *outcome;
  }
  ItemOutcome preview(const std::string& name) {
    write_as(kube::DryRun::server);
    const auto outcome = preview_item(world, item(name), false);
    REQUIRE_MESSAGE(outcome, (outcome ? "" : outcome.error().to_string()));
    return *outcome;
  }
  Json item(const std::string& name) {
    return cluster.get("deployitems.landscaper.gardener.cloud", name, "default");
  }
  Json object(const std::string& name) { return cluster.get("configmaps", name, "default"); }
  std::string value(const std::string& name) {
    const Json live = object(name);
    return std::string(data::string_at(live, {"data", "key"}));
  }
  void change(const std::string& name, const Json& data) {
    cluster.patch("configmaps", name, "default", PatchType::merge, {{"data", data}});
  }
  std::string drifted(const std::string& name) {
    const Json live = item(name);
    for (const Json& one : data::array_at(live, {"status", "conditions"})) {
      if (one["type"] == "Drifted") {
        return util::cat(one["status"].get<std::string>(), ": ", one["message"].get<std::string>());
      }
    }
    return {};
  }

  testing::FakeCluster cluster;
  World world;
  std::vector<std::string> told;
  KeptObjects kept;
};

}  // namespace

TEST_CASE("drift: what others changed, deleted or made again is put back, and nothing else") {
  Items s;
  s.make("app", {kept_map("a"), kept_map("b"), kept_map("c"), kept_map("d")});
  CHECK_FALSE(s.run("app").ran);
  CHECK(s.cluster.writes().empty());
  s.change("a", {{"key", "theirs"}});
  s.cluster.remove("configmaps", "b", "default");
  s.cluster.remove("configmaps", "c", "default");
  Json theirs = kept_map("c");
  theirs["metadata"]["namespace"] = "default";
  s.cluster.put(theirs);
  CHECK(s.run("app").phase == "Succeeded");
  CHECK(s.told == std::vector<std::string>{
                      "v1 ConfigMap/default/a: repaired: ConfigMap default/a was changed, last by "
                      "kubectl-patch",
                      "v1 ConfigMap/default/b: repaired: ConfigMap default/b was deleted",
                      "v1 ConfigMap/default/c: repaired: ConfigMap default/c was deleted and made "
                      "again by somebody else"});
  CHECK(s.value("a") == "value");
  CHECK(s.value("b") == "value");
  s.cluster.forget_log();
  CHECK_FALSE(s.run("app").ran);
  CHECK(s.cluster.writes().empty());
}

TEST_CASE("drift: Report leaves it, says so in a condition, and when it is over") {
  Items s;
  s.make("app", Json::array({kept_map("a")}), {{"drift", "Report"}});
  s.change("a", {{"key", "theirs"}});
  const ItemOutcome outcome = s.run("app");
  CHECK_FALSE(outcome.ran);
  CHECK(outcome.phase == "Succeeded");
  CHECK(outcome.drift == "ConfigMap default/a was changed, last by kubectl-patch");
  CHECK(s.value("a") == "theirs");
  CHECK(s.drifted("app") == "True: ConfigMap default/a was changed, last by kubectl-patch");
  s.cluster.forget_log();
  s.run("app");
  CHECK(s.cluster.writes().empty());
  const auto forced = run_item(s.world, "default", "app", {.force = true});
  REQUIRE(forced);
  CHECK(s.value("a") == "value");
  CHECK(s.drifted("app") == "False: what is live is what was applied");
}

TEST_CASE("drift: an object's own word counts before the item's") {
  Items s;
  s.make("app",
         {kept_map("mended", {{"kubist.io/drift", "Repair"}}),
          kept_map("left", {{"kubist.io/drift", "Ignore"}}), kept_map("told")},
         {{"drift", "Report"}});
  for (const char* name : {"mended", "left", "told"}) {
    s.change(name, {{"key", "theirs"}});
  }
  const ItemOutcome outcome = s.run("app");
  CHECK(outcome.ran);
  CHECK(s.value("mended") == "value");
  CHECK(s.value("left") == "theirs");
  CHECK(s.value("told") == "theirs");
  const std::string told = "ConfigMap default/told was changed, last by kubectl-patch";
  CHECK(outcome.drift == told);
  CHECK(s.drifted("app") == "True: " + told);
  CHECK(s.run("app").drift == told);
}

TEST_CASE("drift: a run that goes on with what another began to mend mends no more than that") {
  Items s;
  const Json report{{"kubist.io/drift", "Report"}};
  s.make("app", {kept_map("a"), kept_map("told", report)});
  for (const char* name : {"a", "told"}) {
    s.change(name, {{"key", "theirs"}});
  }
  const auto cut_off = [&] {
    s.cluster.before("PATCH *configmaps/a*", [] { throw std::runtime_error("killed"); });
    CHECK_THROWS(run_item(s.world, "default", "app"));
    CHECK(s.value("a") == "theirs");
  };
  cut_off();
  SUBCASE("as it still is") {}
  SUBCASE("but it has mended it") {
    Json live = s.object("a");
    Json again = kept_map("a");
    again["metadata"] = {{"name", "a"},
                         {"namespace", "default"},
                         {"labels", live["metadata"]["labels"]},
                         {"annotations", live["metadata"]["annotations"]}};
    kube::ApplyOptions options;
    options.field_manager = s.kept.manager;
    options.force = true;
    REQUIRE(s.world.home->run(kube::apply(kube::well_known::config_maps(), again, options)));
  }
  const ItemOutcome outcome = s.run("app");
  CHECK(outcome.phase == "Succeeded");
  CHECK(outcome.drift == "ConfigMap default/told was changed, last by kubectl-patch");
  CHECK(s.value("a") == "value");
  CHECK(s.value("told") == "theirs");
  CHECK(s.drifted("app") == "True: ConfigMap default/told was changed, last by kubectl-patch");
  s.change("a", {{"key", "theirs"}});
  cut_off();
  REQUIRE(run_item(s.world, "default", "app", {.force = true}));
  CHECK(s.value("told") == "value");
}

TEST_CASE("drift: who cannot hear what an item keeps fails no run of it") {
  Items s;
  s.world.keeps = [](const KeptObjects&) { throw std::runtime_error("no more threads"); };
  std::vector<std::string> said;
  s.world.progress = [&](const std::string& line) { said.push_back(line); };
  s.make("app", Json::array({kept_map("a")}));
  CHECK(s.item("app")["status"]["providerStatus"]["managedResources"][0]["resource"]["uid"] ==
        s.object("a")["metadata"]["uid"]);
  REQUIRE_FALSE(said.empty());
  CHECK(said.back() ==
        "app: drift of its objects is not noticed at once: unexpected: no more threads");
}

TEST_CASE("drift: an item that leaves its objects behind keeps nothing any more") {
  Items s;
  s.make("app", Json::array({kept_map("a")}));
  REQUIRE(s.kept.objects.size() == 1);
  s.cluster.remove("deployitems.landscaper.gardener.cloud", "app", "default");
  REQUIRE(remove_item(s.world, "default", "app", {.skip_uninstall = true}));
  CHECK(s.value("a") == "value");
  CHECK(s.kept.objects.empty());
}

TEST_CASE("drift: a word that is none fails the item") {
  Items s;
  s.make("app", Json::array({kept_map("a")}));
  s.cluster.patch(
      "deployitems.landscaper.gardener.cloud", "app", "default", PatchType::merge,
      {{"spec",
        {{"config",
          {{"manifests", Json::array({kept_map("a", {{"kubist.io/drift", "Mend"}})})}}}}}});
  const ItemOutcome outcome = s.run("app");
  CHECK(outcome.reason == "InvalidConfiguration");
  CHECK(outcome.message.find("not Repair, Report or Ignore") != std::string::npos);
}

TEST_CASE("drift: what others added, and what another item took over, is none") {
  Items s;
  s.make("app", {kept_map("a"), kept_map("b")});
  s.change("a", {{"more", "theirs"}});
  s.make("other", Json::array({kept_map("b")}));
  CHECK_FALSE(s.run("app").ran);
  CHECK_FALSE(s.run("other").ran);
  CHECK(s.cluster.writes().empty());
}

TEST_CASE("drift: objects of policy immutable are missed when they are gone alone") {
  Items s;
  s.make("app", Json::array({{{"policy", "immutable"}, {"manifest", kept_map("a")}}}));
  s.change("a", {{"key", "theirs"}});
  CHECK_FALSE(s.run("app").ran);
  s.cluster.remove("configmaps", "a", "default");
  CHECK(s.run("app").ran);
  CHECK(s.value("a") == "value");
}

TEST_CASE("drift: Jobs and Pods end by themselves, and are missed only where they say so") {
  Items s;
  const auto pod = [](const std::string& name, const Json& annotations) {
    return Json{{"apiVersion", "v1"},
                {"kind", "Pod"},
                {"metadata", {{"name", name}, {"annotations", annotations}}},
                {"spec", {{"containers", Json::array({{{"name", "one"}, {"image", "none"}}})}}}};
  };
  s.make("app", {pod("done", Json::object()), pod("kept", {{"kubist.io/drift", "Repair"}})},
         {{"readinessChecks", {{"disableDefault", true}}}});
  s.cluster.remove("pods", "done", "default");
  CHECK_FALSE(s.run("app").ran);
  s.cluster.remove("pods", "kept", "default");
  CHECK(s.run("app").ran);
  CHECK(s.cluster.get("pods", "done", "default").is_null());
  CHECK_FALSE(s.cluster.get("pods", "kept", "default").is_null());
}

TEST_CASE("drift: a server dry run tells what would be put back") {
  Items s;
  s.make("app", {kept_map("a"), kept_map("b")});
  s.change("b", {{"key", "theirs"}});
  s.cluster.forget_log();
  s.preview("app");
  CHECK(s.told ==
        std::vector<std::string>{"v1 ConfigMap/default/b: repaired: ConfigMap default/b was "
                                 "changed, last by kubectl-patch"});
  CHECK(s.value("b") == "theirs");
}

TEST_CASE("drift: who cannot see the objects says which one") {
  Items s;
  s.make("app", Json::array({kept_map("a")}));
  s.cluster.fail("GET /api/v1/namespaces/default/configmaps/a*", 403);
  const auto outcome = run_item(s.world, "default", "app");
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().kind == util::ErrorKind::forbidden);
  CHECK(outcome.error().to_string().find("compare ConfigMap default/a with what was applied") !=
        std::string::npos);
}

TEST_CASE("drift: each run tells what the item keeps, its removal that it keeps nothing") {
  Items s;
  s.make("app", {kept_map("a"), kept_map("left", {{"kubist.io/drift", "Ignore"}})});
  REQUIRE(s.kept.objects.size() == 1);
  const Kept made = s.kept.objects[0];
  CHECK(made.ref.name == "a");
  CHECK(made.uid == s.object("a")["metadata"]["uid"]);
  CHECK_FALSE(made.fields.empty());
  s.kept = {};
  s.run("app");
  REQUIRE(s.kept.objects.size() == 1);
  CHECK(s.kept.objects[0].fields == made.fields);
  CHECK(s.kept.item == s.item("app")["metadata"]["uid"]);
  s.cluster.remove("deployitems.landscaper.gardener.cloud", "app", "default");
  REQUIRE(remove_item(s.world, "default", "app"));
  CHECK(s.kept.objects.empty());
}
