// As whom, and where, kubist keeps what executors of users return for its own kinds.
#include <atomic>

#include <kubist/data/pointer.hpp>

#include "kind_functions.hpp"

using namespace kind_functions;

namespace {

/// With the mark of that object.
Json marked(const Site& s, Json object, const std::string& owner) {
  object["metadata"]["annotations"] = {{"kubist.io/owner", cat(s.home->uid(), '/', owner)}};
  return object;
}

}  // namespace

TEST_CASE("kind functions: nobody makes a Cluster's objects at home without an account") {
  Site s;
  s.make_project("shop");
  s.home->put(plain("Namespace", "", "tools"));
  Json spec{{"wraps", "Cluster"}, {"allows", {{"namespaces", {"tools", "blog", "kube-*"}}}}};
  std::string reason = "ExecutorFailed";
  Json parameters{{"namespace", "tools"}};
  std::string word = "spec.serviceAccountName";
  SUBCASE("that the definition names") {}
  SUBCASE("and in no namespace of another project's") {
    s.put("Project", "", "blog");
    s.reconcile();
    spec["serviceAccountName"] = "platform";
    parameters["namespace"] = "blog";
    reason = "NamespaceNotAllowed";
    word = "belongs to";
  }
  SUBCASE("and in no reserved one") {
    spec["serviceAccountName"] = "platform";
    parameters["namespace"] = "kube-system";
    reason = "NamespaceNotAllowed";
    word = "reserved";
  }
  SUBCASE("and in none that it does not name") {
    spec["serviceAccountName"] = "platform";
    parameters = Json::object();
    reason = "ObjectNotAllowed";
    word = "names no namespace";
  }
  s.home->put(definition("registers", spec));
  s.put("Cluster", "shop", "home", home_cluster(executor("registers", parameters)));
  const auto report = s.settle();
  const auto& cluster = node_of(report, "Cluster", "home");
  CHECK(!cluster.ready);
  CHECK(cluster.reason == reason);
  REQUIRE(cluster.error);
  CHECK_MESSAGE(cluster.error->to_string().find(word) != std::string::npos,
                cluster.error->to_string());
  CHECK(writers(s, "configmaps").empty());
  CHECK(data::string_at(s.get("clusters", "shop", "home"), {"status", "kubernetesVersion"}) != "");
}

TEST_CASE("kind functions: another Project's own namespace is refused, whatever its mark says") {
  for (const char* owner : {"", "VirtualCluster/shop/dev"}) {
    for (const char* kind : {"Cluster", "Root"}) {
      CAPTURE(owner);
      CAPTURE(kind);
      Site s;
      s.make_project("shop");
      const Json blog = plain("Namespace", "", "blog");
      s.home->put(*owner == 0 ? blog : marked(s, blog, owner));
      s.put("Project", "", "blog");  // not reconciled yet
      s.home->put(definition("registers", {{"wraps", kind},
                                           {"serviceAccountName", "platform"},
                                           {"allows", {{"namespaces", {"blog"}}}}}));
      const Json by = executor("registers", {{"namespace", "blog"}});
      const bool is_root = std::string_view(kind) == "Root";
      const auto what = is_root ? key(kind, "", "root") : key(kind, "shop", "home");
      s.put(kind, what.ns, what.name, is_root ? by : home_cluster(by));
      const auto report = s.reconcile(only({what}));
      const auto& node = node_of(report, kind, what.name);
      CHECK(node.reason == (is_root ? "Aligned" : "NamespaceNotAllowed"));
      CHECK(config_map(s.home, "blog").has_value() == is_root);
    }
  }
}

namespace {

Json inventory_entry(const Json& live) {
  return {{"version", "v1"},
          {"kind", live["kind"]},
          {"namespace", live["metadata"]["namespace"]},
          {"name", live["metadata"]["name"]},
          {"uid", live["metadata"]["uid"]}};
}

/// A status that says that Cluster shop/home keeps ConfigMap tools/made, by that definition.
void forge_status(Site& s, const char* definition) {
  const Json entry = inventory_entry(s.home->get("configmaps", "made", "tools"));
  s.home->patch(
      "clusters.kubist.io", "home", "shop", kube::PatchType::merge,
      {{"status", {{"executor", {{"name", definition}, {"inventory", Json::array({entry})}}}}}},
      "status");
}

}  // namespace

TEST_CASE("kind functions: a status chooses no account") {
  Site s;
  s.make_project("shop");
  s.home->put(plain("Namespace", "", "tools"));
  s.home->put(marked(s, plain("ConfigMap", "tools", "made"), "Cluster/shop/home"));
  s.home->put(definition("guard", {{"wraps", "Root"}, {"serviceAccountName", "platform"}}));
  s.reconcile();
  std::string named = "nobody";
  SUBCASE("of a definition that is not there") {}
  SUBCASE("of a definition for another kind") { named = "guard"; }
  forge_status(s, named.c_str());
  s.forget();
  const auto report = s.settle();
  CHECK(node_of(report, "Cluster", "home").ready);
  CHECK(config_map(s.home, "tools"));
  CHECK(writers(s, "configmaps").empty());
}

TEST_CASE("kind functions: no uid in a status makes an object an account's") {
  Site s;
  s.make_project("shop");
  s.home->put(plain("Namespace", "", "tools"));
  s.home->put(plain("ConfigMap", "tools", "made"));
  s.home->put(definition("registers", {{"wraps", "Cluster"},
                                       {"serviceAccountName", "platform"},
                                       {"allows", {{"namespaces", {"tools"}}}}}));
  s.put("Cluster", "shop", "home", home_cluster(executor("registers", {{"namespace", "tools"}})));
  forge_status(s, "registers");
  s.forget();
  const auto report = s.settle();
  CHECK(node_of(report, "Cluster", "home").reason == "ObjectExists");
  CHECK(writers(s, "configmaps").empty());
}

TEST_CASE("kind functions: what has no virtual cluster is the project's") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "dev");
  s.home->put(definition("tells", {{"kinds", {"CanaryRelease"}}}));
  s.put("Destination", "shop", "web", yaml(R"({virtualClusterRef: {name: dev}, ports: [{port: 80}],
    subsets: {v1: {labels: {version: v1}}, v2: {labels: {version: v2}}}})"));
  s.put("TrafficRoute", "shop", "shop",
        yaml(R"({virtualClusterRef: {name: dev}, hosts: [a.example.com],
    routes: [{weights: [{destination: web, version: v1}]}]})"));
  s.home->put(object("PolicyDefinition", "shop", "nothing",
                     {{"runtime", {{"jsonnet", {{"source", "function(list) list"}}}}}}));
  Json spec = yaml(
      "{destination: web, stable: v1, canary: v2, routes: [shop], policies: [{name: nothing}]}");
  spec.update(executor("tells"));
  s.put("CanaryRelease", "shop", "web", spec);
  s.forget();
  const auto report = s.settle();
  CAPTURE(node_of(report, "CanaryRelease", "web").message);
  REQUIRE(config_map(s.home, "shop"));
  CHECK(writers(s, "configmaps") ==
        std::set<std::string>{"system:serviceaccount:shop:kubist-project"});
}

TEST_CASE("kind functions: where no Project is, nothing is taken away for anybody") {
  Site s;
  s.make_project("shop");
  s.home->put(plain("Namespace", "", "lost"));
  s.home->put(marked(s, plain("ConfigMap", "lost", "made"), "Execution/lost/job"));
  Json job = object("Execution", "lost", "job", no_items());
  job["metadata"]["finalizers"] = {"kubist.io/finalizer"};
  job["status"]["executor"] = {
      {"name", "tells"},
      {"inventory", Json::array({inventory_entry(s.home->get("configmaps", "made", "lost"))})}};
  s.home->plant(job);
  s.home->remove("executions.kubist.io", "job", "lost");
  s.forget();
  s.reconcile();
  CHECK(config_map(s.home, "lost"));
  CHECK(writers(s, "configmaps").empty());
}

TEST_CASE("kind functions: a Project whose function made something goes") {
  Site s;
  s.make_project("shop");
  s.home->put(definition("tells", {{"wraps", "Project"}}));
  s.put("Project", "", "shop", executor("tells"));
  s.settle();
  REQUIRE(config_map(s.home, "shop"));
  std::atomic<bool> going = false;
  s.home->judge([&](const LoggedRequest&) { return !going; });  // no rights without the namespace
  s.home->before("DELETE */namespaces/shop", [&] { going = true; });
  s.home->remove("projects.kubist.io", "shop");
  const auto report = s.settle();
  CHECK(going);
  CHECK_MESSAGE(s.project("shop").is_null(), node_of(report, "Project", "shop").message);
}

TEST_CASE(
    "kind functions: who may not impersonate its account leaves a Root's objects as they are") {
  Site s;
  s.home->put(plain("Namespace", "", "tools"));
  s.home->put(definition("guard", {{"wraps", "Root"},
                                   {"serviceAccountName", "platform"},
                                   {"allows", {{"namespaces", {"tools"}}}}}));
  s.put("Root", "", "root", executor("guard", {{"namespace", "tools"}}));
  s.make_project("shop");
  REQUIRE(config_map(s.home, "tools"));
  s.home->deny("impersonate");
  s.open();
  s.forget();
  s.virtual_cluster("shop", "dev");
  const auto report = s.settle();
  CHECK(node_of(report, "Root", "root").ready);
  CHECK_MESSAGE(node_of(report, "Root", "root").message.find(k_platform) != std::string::npos,
                node_of(report, "Root", "root").message);
  CHECK(node_of(report, "VirtualCluster", "dev").ready);
  CHECK(writers(s, "configmaps").empty());
  // One that was changed is not Ready until somebody with the right has run, and holds nobody back.
  s.put("Root", "", "root", executor("guard", {{"namespace", "tools"}, {"names", {"other"}}}));
  s.virtual_cluster("shop", "more");
  const auto held = s.settle();
  CHECK(!node_of(held, "Root", "root").ready);
  CHECK(node_of(held, "Root", "root").reason == "Held");
  CHECK(node_of(held, "VirtualCluster", "more").ready);
  CHECK(writers(s, "configmaps").empty());
}

TEST_CASE("kind functions: at a target a Cluster's objects are its kubeconfig's") {
  Site s;
  s.make_project("shop");
  s.put("Project", "", "tools");  // has that namespace at home
  s.far->put(plain("Namespace", "", "tools"));
  s.home->put(
      definition("registers", {{"wraps", "Cluster"}, {"allows", {{"namespaces", {"tools"}}}}}));
  s.cluster("shop", "far", Site::kubeconfig(s.far->server()));
  Json spec = s.get("clusters", "shop", "far")["spec"];
  spec.update(executor("registers", {{"namespace", "tools"}}));
  s.put("Cluster", "shop", "far", spec);
  s.forget();
  s.settle();
  CHECK(config_map(s.far, "tools"));
  CHECK(writers(s, "configmaps") == std::set<std::string>{""});
  s.home->remove("clusters.kubist.io", "far", "shop");
  s.settle();
  CHECK(!config_map(s.far, "tools"));
}

namespace {

/// Cluster shop/home keeps ConfigMap tools/made by an account that has lost its rights, or, where
/// it is not `made`, never had any; both Cluster and Project shall go.
void delete_without_rights(Site& s, bool made) {
  s.make_project("shop");
  s.home->put(plain("Namespace", "", "tools"));
  s.home->put(definition("registers", {{"wraps", "Cluster"},
                                       {"serviceAccountName", "platform"},
                                       {"allows", {{"namespaces", {"tools"}}}}}));
  s.put("Cluster", "shop", "home", home_cluster(executor("registers", {{"namespace", "tools"}})));
  const auto judge = [&](bool may) {
    s.home->judge([may](const LoggedRequest& request) { return may || request.as != k_platform; });
  };
  judge(made);
  s.settle();
  judge(false);
  s.home->remove("clusters.kubist.io", "home", "shop");
  s.home->remove("projects.kubist.io", "shop");
}

}  // namespace

TEST_CASE("kind functions: what its account may not delete holds up nobody who says so") {
  for (const bool made : {true, false}) {
    for (const bool own_rights : {true, false}) {
      CAPTURE(made);
      CAPTURE(own_rights);
      Site s;
      delete_without_rights(s, made);
      const auto refused = s.settle();
      const auto& cluster = node_of(refused, "Cluster", "home");
      CHECK(cluster.reason == "Forbidden");
      for (const char* way_out : {"kubectl create role", "--own-rights"}) {
        CHECK_MESSAGE(cluster.message.find(way_out) != std::string::npos, cluster.message);
      }
      CHECK(condition(s.get("clusters", "shop", "home"), "Stalled") == "True");
      CHECK(!s.project("shop").is_null());

      executors::ReconcileOptions options;
      options.own_rights = own_rights;
      options.abandon = !own_rights;
      const auto gone = s.reconcile(options);
      const std::vector<std::string> unchecked{"ConfigMap/made (recorded; could not be checked)"};
      CHECK(node_of(gone, "Cluster", "home").left_behind ==
            (own_rights ? std::vector<std::string>() : unchecked));
      CHECK(config_map(s.home, "tools").has_value() == (made && !own_rights));
      CHECK(s.get("clusters", "shop", "home").is_null());
      s.settle();
      CHECK(s.project("shop").is_null());
    }
  }
}

TEST_CASE("kind functions: what is let go of and is gone already is not called left behind") {
  Site s;
  s.make_project("shop");
  s.home->put(plain("Namespace", "", "tools"));
  s.home->put(definition("registers", {{"wraps", "Cluster"},
                                       {"serviceAccountName", "platform"},
                                       {"allows", {{"namespaces", {"tools"}}}}}));
  s.put("Cluster", "shop", "home",
        home_cluster(executor("registers", {{"namespace", "tools"}, {"names", {"a", "b", "c"}}})));
  s.settle();
  s.home->judge([](const LoggedRequest& request) {
    return request.as != k_platform || request.verb == "get";
  });
  s.home->remove("configmaps", "a", "tools");
  s.home->remove("clusters.kubist.io", "home", "shop");
  s.home->remove("projects.kubist.io", "shop");
  executors::ReconcileOptions options;
  options.abandon = true;
  const auto gone = s.reconcile(options);
  CHECK(node_of(gone, "Cluster", "home").left_behind ==
        std::vector<std::string>{"ConfigMap/b", "ConfigMap/c"});
}
