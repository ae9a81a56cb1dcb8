// Executors of users for kubist's own kinds: instead of the built-in one, before it, and after it.
#include "kind_functions.hpp"

#include <kubist/data/pointer.hpp>

using namespace kind_functions;

TEST_CASE("kind functions: one wraps the executor of Clusters, and is told what that one saw") {
  Site s;
  s.make_project("shop");
  s.home->put(plain("Namespace", "", "tools"));
  s.home->put(definition("registers", {{"wraps", "Cluster"},
                                       {"serviceAccountName", "platform"},
                                       {"allows", {{"namespaces", {"tools"}}}}}));
  s.put("Cluster", "shop", "home", home_cluster(executor("Registers", {{"namespace", "tools"}})));
  s.virtual_cluster("shop", "dev");
  s.forget();
  const auto report = s.settle();
  CHECK(node_of(report, "Cluster", "home").ready);
  CHECK(node_of(report, "VirtualCluster", "dev").ready);
  const auto made = config_map(s.home, "tools");
  REQUIRE(made);
  CHECK((*made)["data"]["of"] == "Cluster/home");
  CHECK(data::string_at(*made, {"data", "version"}) != "");
  CHECK(writers(s, "configmaps") == std::set<std::string>{k_platform});
  const Json status = s.get("clusters", "shop", "home")["status"];
  CHECK(data::string_at(status, {"kubernetesVersion"}) != "");  // the built-in one's
  CHECK(status["executor"]["name"] == "registers");
  REQUIRE(status["executor"]["inventory"].size() == 1);
  CHECK(status["executor"]["inventory"][0]["namespace"] == "tools");

  SUBCASE("unchanged, it writes nothing") {
    s.forget();
    s.open();
    s.reconcile();
    CHECK(s.writes() == 0);
  }
  SUBCASE("what it returns no more goes") {
    s.put("Cluster", "shop", "home",
          home_cluster(executor("registers", {{"namespace", "tools"}, {"names", {"other"}}})));
    s.settle();
    CHECK(!config_map(s.home, "tools"));
    CHECK(config_map(s.home, "tools", "other"));
  }
  SUBCASE("a Cluster that names it no more has nothing of it") {
    s.put("Cluster", "shop", "home", home_cluster(Json::object()));
    s.settle();
    CHECK(!config_map(s.home, "tools"));
    CHECK(!s.get("clusters", "shop", "home")["status"].contains("executor"));
  }
  SUBCASE("what goes takes it along") {
    s.home->remove("virtualclusters.kubist.io", "dev", "shop");
    s.home->remove("clusters.kubist.io", "home", "shop");
    s.settle();
    CHECK(!config_map(s.home, "tools"));
    CHECK(s.get("clusters", "shop", "home").is_null());
    CHECK(writers(s, "configmaps") == std::set<std::string>{k_platform});
  }
  SUBCASE("without the definition it goes by the caller's own rights, where he says so") {
    s.home->remove("executordefinitions.kubist.io", "registers");
    s.home->remove("virtualclusters.kubist.io", "dev", "shop");
    s.home->remove("clusters.kubist.io", "home", "shop");
    const auto refused = s.settle();
    CHECK(node_of(refused, "Cluster", "home").reason == "AccountNotYours");
    CHECK(config_map(s.home, "tools"));
    executors::ReconcileOptions own;
    own.own_rights = true;
    s.settle(own);
    CHECK(!config_map(s.home, "tools"));
    CHECK(s.get("clusters", "shop", "home").is_null());
  }
  SUBCASE("another one takes its place after it has gone, as another account") {
    s.home->put(definition("second", {{"wraps", "Cluster"},
                                      {"serviceAccountName", "other"},
                                      {"allows", {{"namespaces", {"tools"}}}}}));
    s.put("Cluster", "shop", "home",
          home_cluster(executor("second", {{"namespace", "tools"}, {"names", {"new"}}})));
    s.forget();
    s.settle();
    CHECK(!config_map(s.home, "tools"));
    CHECK(config_map(s.home, "tools", "new"));
    CHECK(writers(s, "configmaps") ==
          std::set<std::string>{k_platform, "system:serviceaccount:kubist-system:other"});
    CHECK(s.get("clusters", "shop", "home")["status"]["executor"]["inventory"].size() == 1);
  }
  SUBCASE("one without an account may not change it, and ends nothing") {
    s.home->patch("executordefinitions.kubist.io", "registers", "", kube::PatchType::merge,
                  {{"spec", {{"serviceAccountName", nullptr}, {"wants", {"objects"}}}}});
    s.put("Cluster", "shop", "home",
          home_cluster(executor("registers", {{"names", Json::array()}})));
    const auto without = s.settle();
    CHECK(node_of(without, "Cluster", "home").reason == "ExecutorFailed");
    CHECK(config_map(s.home, "tools"));
  }
}

TEST_CASE("kind functions: conditions that are given no more leave the status") {
  Site s;
  s.make_project("shop");
  s.home->put(definition("gate", {{"wraps", "Cluster"}}));
  const auto say = [&](const Json& conditions) {
    s.put("Cluster", "shop", "home",
          home_cluster(
              executor("gate", {{"names", Json::array()}, {"say", {{"conditions", conditions}}}})));
    s.settle();
    return s.get("clusters", "shop", "home");
  };
  const auto one = [](const char* type) {
    return Json{{"type", type}, {"status", "True"}, {"reason", "Asked"}, {"message", ""}};
  };
  CHECK(condition(say(Json::array({one("Mine"), one("Yours")})), "Yours") == "True");
  const Json less = say(Json::array({one("Mine")}));
  CHECK(condition(less, "Mine") == "True");
  CHECK(condition(less, "Yours") == "");
  s.put("Cluster", "shop", "home", home_cluster(Json::object()));
  s.settle();
  const Json none = s.get("clusters", "shop", "home");
  CHECK(condition(none, "Mine") == "");
  CHECK(condition(none, "Drifted") == "");
  CHECK(condition(none, "Connected") == "True");
  CHECK(!none["status"].contains("executor"));
}

TEST_CASE("kind functions: it keeps nothing that the built-in executor keeps") {
  Site s;
  s.make_project("shop");
  Json thief = definition(
      "thief", {{"wraps", "VirtualCluster"}, {"allows", {{"clusterScoped", {"Namespace"}}}}});
  thief["spec"]["runtime"]["jsonnet"]["source"] = R"(function(list) list { items: [list.items[0], {
    apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop-dev', labels: { taken: 'yes' } },
  }] })";
  s.home->put(thief);
  s.virtual_cluster("shop", "dev", executor("thief"));
  const auto report = s.settle();
  CHECK(node_of(report, "VirtualCluster", "dev").reason == "ObjectTaken");
  CHECK(!s.namespace_at(s.home, "shop-dev")["metadata"]["labels"].contains("taken"));
}

namespace {

/// Of an object of kubist's own kinds below project shop, which has virtual cluster dev.
void check_project_function(const std::string& kind, const std::string& name,
                            const std::string& where, bool wraps) {
  CAPTURE(kind);
  CAPTURE(wraps);
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "dev");
  s.settle();
  const std::string ns = kind == "Project" ? "" : "shop";
  const Json without = kind == "Execution" ? no_items()
                       : kind == "Project" ? Json::object()
                                           : s.vc("shop", "dev")["spec"];
  s.home->put(definition("tells", wraps ? Json{{"wraps", kind}} : Json{{"kinds", {kind}}}));
  Json spec = without;
  spec.update(executor("tells"));
  s.put(kind, ns, name, spec);
  s.forget();
  const auto report = s.settle();
  CHECK_MESSAGE(node_of(report, kind, name).ready, node_of(report, kind, name).message);
  const auto made = config_map(s.home, where);
  REQUIRE(made);
  CHECK((*made)["data"]["of"] == cat(kind, '/', name));
  CHECK(writers(s, "configmaps") ==
        std::set<std::string>{"system:serviceaccount:shop:kubist-project"});
  s.put(kind, ns, name, without);
  s.settle();
  CHECK(!config_map(s.home, where));
}

}  // namespace

TEST_CASE("kind functions: a project's are in its namespaces, as its account") {
  for (const bool wraps : {true, false}) {
    check_project_function("Project", "shop", "shop", wraps);
    check_project_function("VirtualCluster", "dev", "shop-dev", wraps);
    check_project_function("Execution", "steps", "shop", wraps);
  }
}

TEST_CASE("kind functions: one that runs before holds the built-in executor until it is ready") {
  Site s;
  s.make_project("shop");
  s.home->put(definition(
      "first",
      {{"wraps", "VirtualCluster"}, {"runs", "Before"}, {"allows", {{"namespaces", {"shop"}}}}}));
  const Json ready{{"namespace", "shop"}, {"say", {{"state", 7}}}};
  Json waits = ready;
  waits["say"] = {{"ready", false}, {"reason", "NotYet"}, {"message", "waits for its quota"}};
  s.virtual_cluster("shop", "dev", executor("first", waits));
  const auto waiting = s.settle();
  CHECK(node_of(waiting, "VirtualCluster", "dev").reason == "NotYet");
  CHECK(node_of(waiting, "VirtualCluster", "dev").message == "waits for its quota");
  CHECK(s.namespace_at(s.home, "shop-dev").is_null());
  CHECK(config_map(s.home, "shop"));
  s.virtual_cluster("shop", "dev", executor("first", ready));
  const auto done = s.settle();
  CHECK(node_of(done, "VirtualCluster", "dev").ready);
  CHECK(!s.namespace_at(s.home, "shop-dev").is_null());
  const Json executor = s.vc("shop", "dev")["status"]["executor"];
  CHECK(executor["state"] == 7);
  CHECK(executor["inventory"].size() == 1);
}

TEST_CASE("kind functions: its answer holds the children back, and has conditions of its own") {
  Site s;
  s.make_project("shop");
  s.home->put(definition("gate", {{"wraps", "Cluster"}, {"serviceAccountName", "platform"}}));
  Json say{
      {"children", false},
      {"conditions",
       {{{"type", "Approved"}, {"status", "False"}, {"reason", "Asked"}, {"message", "soon"}}}}};
  const auto put = [&] {
    s.put("Cluster", "shop", "home",
          home_cluster(executor("gate", {{"names", Json::array()}, {"say", say}})));
  };
  put();
  s.virtual_cluster("shop", "dev");
  s.settle();
  const Json cluster = s.get("clusters", "shop", "home");
  CHECK(condition(cluster) == "True");
  CHECK(condition(cluster, "Approved") == "False");
  CHECK(condition(cluster, "Connected") == "True");
  CHECK(s.namespace_at(s.home, "shop-dev").is_null());
  say["children"] = true;
  put();
  s.settle();
  CHECK(!s.namespace_at(s.home, "shop-dev").is_null());
  std::string word;
  SUBCASE("not kubist's") {
    say["conditions"][0]["type"] = "Ready";
    word = "Ready is kubist's";
  }
  SUBCASE("that the API server takes") {
    say["conditions"][0]["reason"] = "not a reason";
    word = "must be CamelCase";
  }
  SUBCASE("children is a word of logic") {
    say["children"] = "yes";
    word = "status.children must be true or false";
  }
  put();
  const auto report = s.settle();
  REQUIRE(node_of(report, "Cluster", "home").error);
  CHECK_MESSAGE(
      node_of(report, "Cluster", "home").error->to_string().find(word) != std::string::npos,
      node_of(report, "Cluster", "home").error->to_string());
}

TEST_CASE("kind functions: a function that fails leaves what the built-in executor saw") {
  Site s;
  s.make_project("shop");
  Json broken = definition("broken", {{"wraps", "Cluster"}});
  broken["spec"]["runtime"]["jsonnet"]["source"] = "function(list) error 'no'";
  s.home->put(broken);
  s.put("Cluster", "shop", "home", home_cluster(executor("broken")));
  const auto report = s.settle();
  CHECK(node_of(report, "Cluster", "home").reason == "PolicyFailed");
  const Json cluster = s.get("clusters", "shop", "home");
  CHECK(condition(cluster) == "False");
  CHECK(condition(cluster, "Connected") == "True");
  CHECK(data::string_at(cluster, {"status", "kubernetesVersion"}) != "");
}
