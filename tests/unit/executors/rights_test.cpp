// As whom kubist handles what a project's objects ask for on the home cluster.
#include <algorithm>

#include "release_site.hpp"

using namespace site;

namespace {

constexpr const char* k_account = "system:serviceaccount:shop:kubist-project";

/// As whom each write to objects of that kind was sent; "" for kubist itself.
std::set<std::string> writers(const Site& s, const std::string& resource) {
  std::set<std::string> found;
  for (const LoggedRequest& request : s.home->writes()) {
    if (request.resource == resource) {
      found.insert(request.as);
    }
  }
  return found;
}

void add_route(Shop& s) {
  s.apply("EntryGateway", "entry", "{servers: [{port: 80, hosts: [web.example.com]}]}");
  s.apply("TrafficRoute", "web",
          "{hosts: [web.example.com], gateways: [entry], routes: [{weights: [{destination: web, "
          "version: v1, weight: 100}]}]}");
}

}  // namespace

TEST_CASE("rights: the objects of a project are written as its account, its place by kubist") {
  Shop s;
  add_route(s);
  s.settle();
  REQUIRE_FALSE(s.live("virtualservices.networking.istio.io", "web").is_null());
  for (const char* resource : {"virtualservices", "destinationrules", "gateways", "services"}) {
    CHECK_MESSAGE(writers(s, resource) == std::set<std::string>{k_account}, resource);
  }
  for (const char* resource :
       {"namespaces", "serviceaccounts", "rolebindings", "trafficroutes", "leases"}) {
    CHECK_MESSAGE(writers(s, resource) == std::set<std::string>{""}, resource);
  }
  const Json binding = s.live("rolebindings.rbac.authorization.k8s.io", "kubist-project");
  CHECK(binding["roleRef"]["name"] == "kubist-project");
  CHECK(binding["subjects"][0]["namespace"] == "shop");
  const Json own = s.home->get("rolebindings.rbac.authorization.k8s.io", "kubist-project", "shop");
  CHECK(own["roleRef"]["name"] == "kubist-project-own");
  s.forget();
  s.reconcile();
  CHECK(s.writes() == 0);
}

TEST_CASE("rights: the account that a Project names is the one that is bound, and none is made") {
  Shop s;
  s.put("Project", "", "shop", {{"serviceAccountName", "ci"}});
  add_route(s);
  s.forget();
  s.settle();
  CHECK(writers(s, "virtualservices") == std::set<std::string>{"system:serviceaccount:shop:ci"});
  CHECK(s.live("rolebindings.rbac.authorization.k8s.io", "kubist-project")["subjects"][0]["name"] ==
        "ci");
}

TEST_CASE("rights: who may not impersonate acts with its own rights, and the run says so") {
  Site s;
  s.home->deny("impersonate");
  s.make_project("shop");
  s.virtual_cluster("shop", "dev");
  const executors::Run run = s.run();
  CHECK(run.report.summary.failed == 0);
  CHECK(writers(s, "rolebindings").empty());
  CHECK(writers(s, "serviceaccounts").empty());
  CHECK(std::count_if(run.warnings.begin(), run.warnings.end(), [](const std::string& line) {
          return line.find("Project shop: its objects are handled with your own rights") == 0;
        }) == 1);
}

TEST_CASE("rights: a question that fails is no answer") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "dev");
  s.home->fail("POST */selfsubjectaccessreviews*", 500, 100);
  const auto report = s.reconcile();
  CHECK(report.summary.ready < 4);
  CHECK(writers(s, "rolebindings").count("") == 1);  // the project's own, before
  CHECK(s.home->get("rolebindings.rbac.authorization.k8s.io", "kubist-project", "shop-dev")
            .is_null());
}

TEST_CASE("rights: a pattern of the Project binds nobody in a namespace that was there before") {
  Site s;
  s.make_project("shop");
  s.home->put(plain("Namespace", "", "shop-dev"));
  s.virtual_cluster("shop", "dev", {{"adopt", true}});
  s.settle();
  CHECK(reason(s.vc("shop", "dev")) == "RoleNotBound");
  CHECK(condition(s.vc("shop", "dev"), "Stalled") == "True");
  CHECK(message(s.vc("shop", "dev"))
            .find("kubectl create rolebinding kubist-project --clusterrole=kubist-project "
                  "--serviceaccount=shop:kubist-project -n shop-dev") != std::string::npos);
  s.put("Project", "", "shop", {{"home", {{"namespaces", {"shop-dev"}}}}});
  s.settle();
  CHECK(condition(s.vc("shop", "dev")) == "True");
  s.home->remove("virtualclusters.kubist.io", "dev", "shop");
  s.settle();
  CHECK_FALSE(s.namespace_at(s.home, "shop-dev").is_null());  // adopted: it stays
  CHECK(s.home->get("rolebindings.rbac.authorization.k8s.io", "kubist-project", "shop-dev")
            .is_null());
}

TEST_CASE("rights: an administrator's own binding will do, and stays as it is") {
  Site s;
  s.make_project("shop");
  s.home->put(plain("Namespace", "", "shop-dev"));
  Json binding = plain("RoleBinding", "shop-dev", "kubist-project");
  binding["apiVersion"] = "rbac.authorization.k8s.io/v1";
  binding["roleRef"] = {
      {"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", "view"}};
  s.home->put(binding);
  s.virtual_cluster("shop", "dev", {{"adopt", true}});
  s.settle();
  CHECK(condition(s.vc("shop", "dev")) == "True");
  CHECK(s.home->get("rolebindings.rbac.authorization.k8s.io", "kubist-project",
                    "shop-dev")["roleRef"]["name"] == "view");
}

TEST_CASE("rights: a namespace that the credentials may not keep is its VirtualCluster's problem") {
  Site s;
  s.make_project("shop", {{"home", {{"namespaces", {"shop-old", "shop-dev"}}}}});
  s.home->put(plain("Namespace", "", "shop-old"));
  s.virtual_cluster("shop", "old", {{"adopt", true}});
  s.virtual_cluster("shop", "dev");
  s.home->deny("delete");
  const auto report = s.reconcile();
  CHECK(node_of(report, "Cluster", "home").ready);
  CHECK_MESSAGE(node_of(report, "VirtualCluster", "old").ready,
                node_of(report, "VirtualCluster", "old").message);
  const auto& dev = node_of(report, "VirtualCluster", "dev");
  CHECK(dev.reason == "Forbidden");
  CHECK(dev.message.find("may not: delete namespace shop-dev") != std::string::npos);
  CHECK(s.namespace_at(s.home, "shop-dev").is_null());
}
