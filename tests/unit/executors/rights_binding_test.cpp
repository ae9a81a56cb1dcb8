// Where a project's account is bound, and what happens where it cannot be.
#include "site.hpp"

using namespace site;

TEST_CASE("rights: a pattern of the Project binds nobody in a namespace that was there before") {
  Site s;
  s.make_project("shop");
  Json before = plain("Namespace", "", "shop-dev");
  before["metadata"]["labels"] = {{"istio.io/dataplane-mode", "ambient"}};
  s.home->put(before);
  before = s.namespace_at(s.home, "shop-dev");
  s.virtual_cluster("shop", "dev", {{"adopt", true}});
  s.settle();
  CHECK(reason(s.vc("shop", "dev")) == "RoleNotBound");
  CHECK(s.namespace_at(s.home, "shop-dev") == before);
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
