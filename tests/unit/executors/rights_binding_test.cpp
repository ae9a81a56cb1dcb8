// Where a project's account is bound, and what happens where it cannot be.
#include "site.hpp"

using namespace site;

namespace {

/// A server that says it is the home cluster: it has that one's uid in place of its own.
class Impostor : public testing::FakeCluster {
 public:
  explicit Impostor(std::string claimed)
      : FakeCluster("impostor"), m_own(uid()), m_claimed(std::move(claimed)) {}
  http::Call start(http::Request request, http::Done done) override {
    return FakeCluster::start(
        std::move(request), [this, done = std::move(done)](util::Result<http::Response> answer) {
          if (answer && !m_own.empty()) {
            answer->body = util::replace_all(answer->body, m_own, m_claimed);
          }
          if (answer && leaves_out_uids && answer->body.find("shop-theirs") != std::string::npos) {
            answer->body = util::replace_all(answer->body, "\"uid\"", "\"id\"");
          }
          done(std::move(answer));
        });
  }
  bool leaves_out_uids = false;

 private:
  std::string m_own, m_claimed;
};

}  // namespace

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

TEST_CASE("rights: a server that says it is the home cluster gets nobody bound there") {
  Site s;
  s.make_project("shop");
  const auto impostor = std::make_shared<Impostor>(s.home->uid());
  s.network->add(impostor);
  s.cluster("shop", "false", Site::kubeconfig(impostor->server()));
  s.virtual_cluster("shop", "theirs", Json::object(), "false");  // it makes the namespace there
  SUBCASE("in a namespace of somebody else") { s.home->put(plain("Namespace", "", "shop-theirs")); }
  SUBCASE("in one that is still to come") {}
  SUBCASE("in one of whose uid it says nothing") {
    s.home->put(plain("Namespace", "", "shop-theirs"));
    impostor->leaves_out_uids = true;
  }
  s.settle();
  CHECK(s.get("clusters", "shop", "false")["status"]["kubeSystemUID"] == s.home->uid());
  CHECK_FALSE(s.namespace_at(impostor, "shop-theirs").is_null());
  CHECK(s.home->get("rolebindings.rbac.authorization.k8s.io", "kubist-project", "shop-theirs")
            .is_null());
  CHECK(reason(s.vc("shop", "theirs")) == "NamespaceNotAllowed");
}

TEST_CASE("rights: a kubeconfig of the home cluster leads to it") {
  Site s;
  s.make_project("shop");
  s.cluster("shop", "same", Site::kubeconfig(s.home->server()));
  s.virtual_cluster("shop", "dev", Json::object(), "same");
  s.settle();
  CHECK(condition(s.vc("shop", "dev")) == "True");
  CHECK_FALSE(s.home->get("rolebindings.rbac.authorization.k8s.io", "kubist-project", "shop-dev")
                  .is_null());
}

TEST_CASE("rights: a status that says otherwise does not delete what was adopted") {
  Site s;
  s.make_project("shop", {{"home", {{"namespaces", {"shop-dev"}}}}});
  s.home->put(plain("Namespace", "", "shop-dev"));
  s.virtual_cluster("shop", "dev", {{"adopt", true}});
  s.settle();
  Json inventory = s.vc("shop", "dev")["status"]["inventory"];
  REQUIRE(inventory[0]["adopted"] == true);
  inventory[0].erase("adopted");
  s.home->patch("virtualclusters.kubist.io", "dev", "shop", kube::PatchType::merge,
                {{"status", {{"inventory", inventory}}}}, "status");
  s.home->remove("virtualclusters.kubist.io", "dev", "shop");
  s.settle();
  CHECK(s.vc("shop", "dev").is_null());
  CHECK_FALSE(s.namespace_at(s.home, "shop-dev").is_null());
}

TEST_CASE("rights: a status that names a namespace of somebody else binds nobody in it") {
  Site s;
  s.make_project("shop");
  s.home->put(plain("Namespace", "", "shop-dev"));
  const Json before = s.namespace_at(s.home, "shop-dev");
  s.virtual_cluster("shop", "dev");
  s.settle();
  REQUIRE(reason(s.vc("shop", "dev")) == "NamespaceExists");
  s.home->patch("virtualclusters.kubist.io", "dev", "shop", kube::PatchType::merge,
                {{"status",
                  {{"inventory", Json::array({{{"version", "v1"},
                                               {"kind", "Namespace"},
                                               {"name", "shop-dev"},
                                               {"uid", before["metadata"]["uid"]}}})}}}},
                "status");
  s.settle();
  CHECK(reason(s.vc("shop", "dev")) == "RoleNotBound");
  CHECK(s.namespace_at(s.home, "shop-dev") == before);
  CHECK(s.home->get("rolebindings.rbac.authorization.k8s.io", "kubist-project", "shop-dev")
            .is_null());
}
