// How many requests a node takes, the first time and again.
#include <algorithm>

#include "release_site.hpp"

using namespace site;

namespace {

using Lines = std::vector<std::string>;

/// What was asked of a cluster about one node: of its object, and of or in that namespace.
Lines requests_of(const std::shared_ptr<testing::FakeCluster>& where, const std::string& name,
                  const std::string& ns) {
  Lines lines;
  for (const LoggedRequest& each : where->log()) {
    if (each.name == name || each.name == ns || each.ns == ns) {
      lines.push_back(each.to_string());
    }
  }
  return lines;
}

std::size_t requests(const Site& s) { return s.home->log().size() + s.far->log().size(); }

Json config_map(const std::string& name) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", name}}},
          {"data", {{"key", "value"}}}};
}

/// The config of a manifest item that makes ConfigMaps of these names.
Json maps(const Lines& names) {
  Json wishes = Json::array();
  for (const std::string& name : names) {
    wishes.push_back({{"policy", "manage"}, {"manifest", config_map(name)}});
  }
  return {{"manifests", std::move(wishes)}};
}

Json manifest_item(const std::string& name, const Lines& names) {
  Json item = object(
      "DeployItem", "shop", name,
      {{"type", "kubist.io/manifest"}, {"target", {{"name", "a"}}}, {"config", maps(names)}});
  item["apiVersion"] = "landscaper.gardener.cloud/v1alpha1";
  return item;
}

/// A project that stands, and nobody has asked anything since.
struct Standing : Site {
  Standing() {
    make_project("shop");
    cluster("shop", "far", kubeconfig(far->server()));
    REQUIRE(settle().summary.failed == 0);
    forget();
  }
  /// One that is somebody else's.
  void foreign_namespace() { home->put(plain("Namespace", "", "shop-a")); }
};

}  // namespace

TEST_CASE("requests: a virtual cluster takes five at home, with the project's binding") {
  Standing s;
  s.virtual_cluster("shop", "a");
  s.reconcile();
  CHECK(condition(s.vc("shop", "a")) == "True");
  CHECK(requests_of(s.home, "a", "shop-a") ==
        Lines{"patch virtualclusters shop/a", "patch virtualclusters shop/a status",
              "patch namespaces shop-a", "patch rolebindings shop-a/kubist-project",
              "patch virtualclusters shop/a status"});
}

TEST_CASE("requests: a virtual cluster takes four elsewhere") {
  Standing s;
  s.virtual_cluster("shop", "a", Json::object(), "far");
  s.reconcile();
  CHECK(condition(s.vc("shop", "a")) == "True");
  CHECK(requests_of(s.home, "a", "shop-a").size() == 3);
  CHECK(requests_of(s.far, "a", "shop-a") == Lines{"patch namespaces shop-a"});
}

TEST_CASE("requests: a tree takes five for each virtual cluster, and a few lists when unchanged") {
  Standing s;
  for (int i = 0; i < 100; ++i) {
    s.virtual_cluster("shop", cat("v", i));
  }
  CHECK(s.reconcile().summary.failed == 0);
  CHECK(requests(s) < 5 * 100 + 60);
  s.open();  // another process
  s.forget();
  CHECK(s.reconcile().summary.writes == 0);
  CHECK(s.writes() == 0);
  CHECK(requests(s) < 60);
}

TEST_CASE("requests: a namespace that is there is found, and asked about as long as it is") {
  Standing s;
  s.foreign_namespace();
  s.virtual_cluster("shop", "a");
  const Json before = s.namespace_at(s.home, "shop-a");
  s.settle();
  CHECK(reason(s.vc("shop", "a")) == "NamespaceExists");
  CHECK_FALSE(s.vc("shop", "a")["status"].contains("inventory"));
  CHECK(s.namespace_at(s.home, "shop-a") == before);
  s.forget();
  s.reconcile();
  CHECK(s.writes() == 0);
}

TEST_CASE("requests: one that was recorded, but is somebody else's, is adopted and not deleted") {
  Standing s;
  s.put("Project", "", "shop", {{"home", {{"namespaces", {"shop-a"}}}}});
  s.virtual_cluster("shop", "a", {{"adopt", true}});
  // As a kubist leaves it that was killed after the server had refused to make the namespace.
  s.home->patch("virtualclusters.kubist.io", "a", "shop", kube::PatchType::merge,
                {{"metadata", {{"finalizers", {"kubist.io/finalizer"}}}}});
  s.home->patch(
      "virtualclusters.kubist.io", "a", "shop", kube::PatchType::merge,
      {{"status",
        {{"inventory",
          Json::array({{{"version", "v1"}, {"kind", "Namespace"}, {"name", "shop-a"}}})}}}},
      "status");
  s.foreign_namespace();
  s.reconcile();
  CHECK(s.vc("shop", "a")["status"]["inventory"][0]["adopted"] == true);
  s.home->remove("virtualclusters.kubist.io", "a", "shop");
  s.settle();
  CHECK(s.vc("shop", "a").is_null());
  CHECK_FALSE(s.namespace_at(s.home, "shop-a").is_null());
}

TEST_CASE("requests: what was made for a node of that name before is taken up again") {
  Standing s;
  s.virtual_cluster("shop", "a", {{"deletionPolicy", "Orphan"}});
  s.reconcile();
  const Json made = s.namespace_at(s.home, "shop-a");
  s.home->patch("virtualclusters.kubist.io", "a", "shop", kube::PatchType::merge,
                {{"metadata", {{"finalizers", nullptr}}}});
  s.home->remove("virtualclusters.kubist.io", "a", "shop");  // by force: its marks stay
  s.virtual_cluster("shop", "a");
  s.reconcile();
  CHECK(condition(s.vc("shop", "a")) == "True");
  CHECK(s.vc("shop", "a")["status"]["namespaceUID"] == made["metadata"]["uid"]);
}

TEST_CASE("requests: a node that is gone is made nothing for") {
  Standing s;
  s.virtual_cluster("shop", "a");
  s.home->before("PATCH *virtualclusters/a?*",
                 [&] { s.home->remove("virtualclusters.kubist.io", "a", "shop"); });
  s.reconcile();
  CHECK(s.namespace_at(s.home, "shop-a").is_null());
}

TEST_CASE("requests: a node with one object in a virtual cluster takes four") {
  Shop s;
  s.settle();
  s.forget();
  s.apply("EntryGateway", "entry", "{servers: [{port: 80, hosts: [web.example.com]}]}");
  s.reconcile();
  CHECK(condition(s.get("entrygateways", "shop", "entry")) == "True");
  CHECK(requests_of(s.home, "entry", "entry") ==
        Lines{"patch entrygateways shop/entry", "patch entrygateways shop/entry status",
              "patch gateways shop-dev/entry", "patch entrygateways shop/entry status"});
}

TEST_CASE("requests: an object of somebody else is not taken over, nor left in the inventory") {
  Shop s;
  Json gateway = plain("Gateway", "shop-dev", "entry");
  gateway["apiVersion"] = "networking.istio.io/v1";
  gateway["spec"] = {{"selector", {{"theirs", "yes"}}}};
  s.home->put(gateway);
  const Json before = s.live("gateways.networking.istio.io", "entry");
  s.apply("EntryGateway", "entry", "{servers: [{port: 80, hosts: [web.example.com]}]}");
  s.settle();
  const Json own = s.get("entrygateways", "shop", "entry");
  CHECK(reason(own) == "ObjectExists");
  CHECK_FALSE(own["status"].contains("inventory"));
  CHECK(s.live("gateways.networking.istio.io", "entry") == before);
  s.forget();
  s.reconcile();
  CHECK(s.writes() == 0);
}

TEST_CASE("requests: a route asks by what all routes of its namespace see, and takes four") {
  Shop s;
  s.apply("EntryGateway", "entry", "{servers: [{port: 80, hosts: [\"*.example.com\"]}]}");
  s.settle();
  s.forget();
  s.route("api");
  s.reconcile();
  CHECK(condition(s.get("trafficroutes", "shop", "api")) == "True");
  CHECK(requests_of(s.home, "api", "api") ==
        Lines{"patch trafficroutes shop/api", "patch trafficroutes shop/api status",
              "patch virtualservices shop-dev/api", "patch trafficroutes shop/api status"});
}

TEST_CASE("requests: a manifest item takes three, and one for each object") {
  Standing s;
  s.virtual_cluster("shop", "a");
  s.settle();
  s.home->put(manifest_item("one", {"x", "y"}));
  s.forget();
  s.reconcile();
  CHECK(s.home->get("deployitems.landscaper.gardener.cloud", "one", "shop")["status"]["phase"] ==
        "Succeeded");
  CHECK(requests_of(s.home, "one", "one") == Lines{"patch deployitems shop/one status",
                                                   "patch deployitems shop/one",
                                                   "patch deployitems shop/one status"});
  CHECK(requests_of(s.home, "x", "y") ==
        Lines{"patch configmaps shop-a/x", "patch configmaps shop-a/y"});
  s.open();
  s.forget();
  s.reconcile();
  CHECK(requests_of(s.home, "one", "one").empty());
  CHECK(requests_of(s.home, "x", "y") ==
        Lines{"get configmaps shop-a/x", "get configmaps shop-a/y"});
}

TEST_CASE("requests: what many items keep is listed, and what differs is looked at itself") {
  Standing s;
  s.virtual_cluster("shop", "a");
  for (int i = 0; i < 40; ++i) {
    s.home->put(manifest_item(cat("i", i), {cat("x", i), cat("y", i)}));
  }
  CHECK(s.settle().summary.failed == 0);
  s.open();
  s.forget();
  s.reconcile();
  CHECK(s.writes() == 0);
  CHECK(requests(s) < 80);  // as many would be for the objects alone
  s.home->patch("configmaps", "x39", "shop-a", kube::PatchType::merge,
                {{"data", {{"key", "other"}}}});
  s.home->remove("configmaps", "y39", "shop-a");
  s.open();
  s.settle();
  CHECK(s.home->get("configmaps", "x39", "shop-a")["data"]["key"] == "value");
  CHECK_FALSE(s.home->get("configmaps", "y39", "shop-a").is_null());
}

TEST_CASE("requests: the plan for one item is checked by the names of what it depends on") {
  Standing s;
  s.virtual_cluster("shop", "a");
  s.home->put(manifest_item("one", {"x"}));
  CHECK(s.settle().summary.failed == 0);
  s.open();  // another process, which must not take the lock on trust
  s.home->put(manifest_item("one", {"y"}));
  executors::ReconcileOptions options;
  options.selection = {{"landscaper.gardener.cloud", "DeployItem", "shop", "one"}};
  SUBCASE("as planned") {
    s.forget();
    CHECK(s.reconcile(options).summary.failed == 0);
    const auto log = s.home->log();
    const auto lists = std::count_if(log.begin(), log.end(), [](const LoggedRequest& each) {
      return each.verb == "list" && each.resource == "virtualclusters";
    });
    CHECK(lists == 1);  // by the plan
  }
  SUBCASE("edited between the plan and the lock") {
    const auto edit = [&] { s.home->put(manifest_item("one", {"z"})); };
    s.home->before("PUT *leases*", edit);
    s.reconcile(options);
    CHECK(s.home->get("configmaps", "y", "shop-a").is_null());
    CHECK_FALSE(s.home->get("configmaps", "z", "shop-a").is_null());
  }
  SUBCASE("its virtual cluster goes between the plan and the lock") {
    s.home->before("PUT *leases*",
                   [&] { s.home->remove("virtualclusters.kubist.io", "a", "shop"); });
    s.reconcile(options);
    CHECK(s.home->get("configmaps", "y", "shop-a").is_null());
  }
}

TEST_CASE("requests: an object of an item that is there is judged before it is written") {
  Standing s;
  s.virtual_cluster("shop", "a");
  s.settle();
  Json there = config_map("x");
  there["metadata"]["namespace"] = "shop-a";
  there["data"]["theirs"] = "yes";
  s.home->put(there);
  Json item = manifest_item("one", {"x"});
  item["spec"]["config"]["manifests"][0]["policy"] = "fallback";
  s.home->put(item);
  s.reconcile();
  CHECK(s.home->get("configmaps", "x", "shop-a")["data"] == there["data"]);
  s.home->put(manifest_item("two", {"x"}));  // policy manage: at home the Project has to say so
  s.reconcile();
  CHECK(s.home->get("configmaps", "x", "shop-a")["data"] == there["data"]);
  CHECK(s.home->get("deployitems.landscaper.gardener.cloud", "two",
                    "shop")["status"]["lastError"]["reason"] == "NameTaken");
}

TEST_CASE("requests: an Execution refuses a name of somebody else's, which it makes unseen") {
  Standing s;
  s.virtual_cluster("shop", "a");
  s.settle();
  s.home->put(manifest_item("app-one", {"x"}));
  s.put("Execution", "shop", "app",
        {{"virtualClusterRef", {{"name", "a"}}},
         {"items", Json::array({{{"name", "one"}, {"type", "Script"}, {"script", "exit 0"}}})}});
  s.forget();
  s.reconcile();
  CHECK(reason(s.get("executions", "shop", "app")) == "NameTaken");
  CHECK(s.home->get("deployitems.landscaper.gardener.cloud", "app-one", "shop")["spec"]["type"] ==
        "kubist.io/manifest");
}

TEST_CASE("requests: the accounts of many projects are listed") {
  Site s;
  for (int i = 0; i < 12; ++i) {
    s.put("Project", "", cat("p", i));
  }
  s.reconcile();
  CHECK(requests(s) < 12 * 28);  // the lock, what it protects read again, seven writes
  s.open();
  s.forget();
  s.reconcile();
  const auto log = s.home->log();
  CHECK(std::count_if(log.begin(), log.end(), [](const LoggedRequest& each) {
          return each.resource == "serviceaccounts";
        }) == 1);
  CHECK(requests(s) < 40);
}
