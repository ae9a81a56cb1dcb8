// Deletion runs backwards and ends, leaves what was adopted, and lets go of what is gone when told.
#include <kubist/executors/removal.hpp>

#include "site.hpp"

using namespace site;

namespace {

Json held_map(const std::string& ns) {
  Json made = plain("ConfigMap", ns, "held");
  made["metadata"]["finalizers"] = {"example.com/hold"};
  return made;
}

void let_go_of_map(Site& s, const std::string& ns) {
  s.home->patch("configmaps", "held", ns, kube::PatchType::merge,
                {{"metadata", {{"finalizers", nullptr}}}});
}

/// An administrator's, in place of the one that kubist does not make by a pattern.
void bind(Site& s, const std::string& ns) {
  Json binding = plain("RoleBinding", ns, "kubist-project");
  binding["apiVersion"] = "rbac.authorization.k8s.io/v1";
  s.home->put(binding);
}

void ask_for_project(Site& s) { s.home->remove("projects.kubist.io", "shop"); }

bool is_going(const Json& live) {
  return !live.is_null() && live["metadata"].contains("deletionTimestamp");
}

/// A project with a virtual cluster at home, one far away, and a namespace that it has adopted.
void make_whole(Site& s) {
  s.make_project("shop", {{"home", {{"namespaces", {"shop-a", "shop-taken"}}}}});
  s.cluster("shop", "far", Site::kubeconfig(s.far->server()));
  s.home->put(plain("Namespace", "", "shop-taken"));
  s.virtual_cluster("shop", "a");
  s.virtual_cluster("shop", "taken", {{"adopt", true}});
  s.virtual_cluster("shop", "far", Json::object(), "far");
  s.settle();
}

}  // namespace

TEST_CASE("deletion: a project takes its tree along, backwards, and leaves what was adopted") {
  Site s;
  make_whole(s);
  ask_for_project(s);
  s.forget();
  const auto report = s.settle();
  CHECK(report.summary.failed == 0);
  CHECK(s.project("shop").is_null());
  for (const char* name : {"shop", "shop-a"}) {
    CHECK(s.namespace_at(s.home, name).is_null());
  }
  CHECK(s.namespace_at(s.far, "shop-far").is_null());
  const Json left = s.namespace_at(s.home, "shop-taken");
  REQUIRE(!left.is_null());
  CHECK_FALSE(is_going(left));
  CHECK_FALSE(left["metadata"].contains("annotations"));
  // The far namespace goes before its Cluster lets go of the Secret.
  std::vector<std::string> order;
  for (const LoggedRequest& each : s.home->writes()) {
    if (each.subresource.empty() && (each.resource == "secrets" || each.resource == "projects")) {
      order.push_back(each.resource);
    }
  }
  REQUIRE(order.size() >= 2);
  CHECK(order.front() == "secrets");
  CHECK(order.back() == "projects");
}

TEST_CASE("deletion: one virtual cluster goes, its siblings stay") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "goes");
  s.virtual_cluster("shop", "stays");
  s.settle();
  s.home->remove("virtualclusters.kubist.io", "goes", "shop");
  CHECK(is_going(s.vc("shop", "goes")));  // the finalizer holds it
  s.settle();
  CHECK(s.vc("shop", "goes").is_null());
  CHECK(s.namespace_at(s.home, "shop-goes").is_null());
  CHECK(condition(s.vc("shop", "stays")) == "True");
  CHECK(!s.namespace_at(s.home, "shop-stays").is_null());
}

TEST_CASE("deletion: what is to be an orphan stays without marks") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "a", {{"deletionPolicy", "Orphan"}});
  s.settle();
  ask_for_project(s);
  const auto report = s.settle();
  const Json left = s.namespace_at(s.home, "shop-a");
  REQUIRE(!left.is_null());
  CHECK_FALSE(left["metadata"].contains("annotations"));
  CHECK_FALSE(left["metadata"]["labels"].contains("app.kubernetes.io/managed-by"));
}

TEST_CASE("deletion: a namespace that somebody made again under the same marks stays") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "a");
  s.settle();
  const Json before = s.namespace_at(s.home, "shop-a");
  s.home->remove("namespaces", "shop-a");
  Json again = plain("Namespace", "", "shop-a");
  again["metadata"]["annotations"] = before["metadata"]["annotations"];
  again["metadata"]["labels"] = before["metadata"]["labels"];
  s.home->put(again);
  s.home->remove("virtualclusters.kubist.io", "a", "shop");
  s.settle();
  CHECK(s.vc("shop", "a").is_null());
  const Json left = s.namespace_at(s.home, "shop-a");
  REQUIRE(!left.is_null());
  CHECK_FALSE(is_going(left));
}

TEST_CASE("deletion: what was adopted goes, too, where its owner and the Project say so") {
  Site s;
  s.make_project("shop", {{"home", {{"namespaces", {"shop-*", "shop-a"}}}}});
  s.home->put(plain("Namespace", "", "shop-a"));
  s.virtual_cluster("shop", "a", {{"adopt", true}, {"deletionPolicy", "Delete"}});
  s.settle();
  s.home->remove("virtualclusters.kubist.io", "a", "shop");
  s.settle();
  CHECK(s.namespace_at(s.home, "shop-a").is_null());
}

TEST_CASE("deletion: a pattern of the Project is no word for deleting what was adopted") {
  Site s;
  s.make_project("shop", {{"home", {{"namespaces", {"shop-*", "shop-b"}}}}});
  s.home->put(plain("Namespace", "", "shop-a"));
  const Json before = s.namespace_at(s.home, "shop-a");
  s.virtual_cluster("shop", "a", {{"adopt", true}, {"deletionPolicy", "Delete"}});
  s.settle();
  CHECK(reason(s.vc("shop", "a"), "Stalled") == "DeletionNotAllowed");
  CHECK(message(s.vc("shop", "a")).find("name shop-a, without a star, in spec.home.namespaces") !=
        std::string::npos);
  CHECK(s.namespace_at(s.home, "shop-a") == before);

  // Nor does one get there by way of Orphan.
  bind(s, "shop-a");
  s.virtual_cluster("shop", "a", {{"adopt", true}});
  s.settle();
  REQUIRE(condition(s.vc("shop", "a")) == "True");
  s.virtual_cluster("shop", "a", {{"adopt", true}, {"deletionPolicy", "Delete"}});
  s.home->remove("virtualclusters.kubist.io", "a", "shop");
  s.settle();
  CHECK(is_going(s.vc("shop", "a")));
  CHECK(!s.namespace_at(s.home, "shop-a").is_null());

  // What kubist made goes without that word, and so does what was adopted elsewhere.
  s.virtual_cluster("shop", "c", {{"adopt", true}, {"deletionPolicy", "Delete"}});
  s.cluster("shop", "far", Site::kubeconfig(s.far->server()));
  s.far->put(plain("Namespace", "", "shop-d"));
  s.virtual_cluster("shop", "d", {{"adopt", true}, {"deletionPolicy", "Delete"}}, "far");
  s.settle();
  REQUIRE(condition(s.vc("shop", "c")) == "True");
  REQUIRE(condition(s.vc("shop", "d")) == "True");
  s.home->remove("virtualclusters.kubist.io", "c", "shop");
  s.home->remove("virtualclusters.kubist.io", "d", "shop");
  s.settle();
  CHECK(s.namespace_at(s.home, "shop-c").is_null());
  CHECK(s.namespace_at(s.far, "shop-d").is_null());
}

TEST_CASE("deletion: who makes its object anew after an adoption has made no namespace") {
  Site s;
  s.make_project("shop");
  s.home->put(plain("Namespace", "", "shop-a"));
  bind(s, "shop-a");
  s.virtual_cluster("shop", "a", {{"adopt", true}});
  s.settle();
  s.home->patch("virtualclusters.kubist.io", "a", "shop", kube::PatchType::merge,
                {{"metadata", {{"finalizers", nullptr}}}});
  s.home->remove("virtualclusters.kubist.io", "a", "shop");
  REQUIRE(s.vc("shop", "a").is_null());
  s.virtual_cluster("shop", "a");
  s.settle();
  CHECK(s.vc("shop", "a")["status"].value("adopted", false));
  s.home->remove("virtualclusters.kubist.io", "a", "shop");
  s.settle();
  const Json left = s.namespace_at(s.home, "shop-a");
  REQUIRE(!left.is_null());
  CHECK_FALSE(left["metadata"].contains("annotations"));
}

TEST_CASE("deletion: a namespace that is held keeps its owner, which says what it waits for") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "a");
  s.settle();
  s.home->put(held_map("shop-a"));
  ask_for_project(s);
  s.settle();
  CHECK(is_going(s.project("shop")));
  CHECK(is_going(s.vc("shop", "a")));
  CHECK(is_going(s.namespace_at(s.home, "shop-a")));
  const auto report = s.reconcile();
  CHECK(node_of(report, "VirtualCluster", "a").message.find("namespace shop-a is being deleted") !=
        std::string::npos);
  s.forget();
  s.reconcile();
  CHECK(s.writes() == 0);  // waiting writes nothing
  let_go_of_map(s, "shop-a");
  s.settle();
  CHECK(s.project("shop").is_null());
  CHECK(s.namespace_at(s.home, "shop").is_null());
}

TEST_CASE("deletion: with its target gone a cluster stays until it is abandoned") {
  Site s;
  make_whole(s);
  s.network->remove("far");
  s.open();
  ask_for_project(s);
  s.reconcile();
  const auto stuck = s.reconcile();
  CHECK(stuck.summary.failed > 0);
  CHECK(is_going(s.project("shop")));
  CHECK(is_going(s.vc("shop", "far")));
  executors::ReconcileOptions options;
  options.abandon = true;
  std::vector<std::string> left;
  for (int walks = 0; walks < 5; ++walks) {
    for (const auto& node : s.reconcile(options).nodes) {
      left.insert(left.end(), node.left_behind.begin(), node.left_behind.end());
    }
  }
  CHECK(std::find(left.begin(), left.end(),
                  "namespace shop-far (recorded; could not be checked)") != left.end());
  CHECK(s.project("shop").is_null());
  CHECK(!s.namespace_at(s.far, "shop-far").is_null());
}

TEST_CASE("deletion: dry runs of a removal name all that would go, and write nothing") {
  for (const auto mode : {kube::DryRun::client, kube::DryRun::server}) {
    Site s;
    make_whole(s);
    const Json before = s.project("shop");
    s.forget();
    auto options = only({key("Project", "", "shop")});
    options.mode = engine::Mode::remove;
    options.dry_run = mode;
    const auto report = s.reconcile(options);
    CHECK(report.summary.removed == 6);
    CHECK(report.summary.failed == 0);
    CHECK(s.writes() == 0);
    CHECK(s.project("shop") == before);
  }
}

TEST_CASE("deletion: a removal asks for what nobody has deleted yet") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "a");
  s.virtual_cluster("shop", "b");
  s.settle();
  auto options = only({key("VirtualCluster", "shop", "a")});
  options.mode = engine::Mode::remove;
  options.ignore_missing = true;
  s.settle(options);
  CHECK(s.vc("shop", "a").is_null());
  CHECK(s.namespace_at(s.home, "shop-a").is_null());
  CHECK(condition(s.vc("shop", "b")) == "True");
}

TEST_CASE("deletion: what no run has seen yet gets the finalizer before it is deleted") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "a");
  const auto of = s.session->home().discovery().find_word("virtualclusters.kubist.io").value();
  apply::Target target;
  target.resource = of;
  target.ns = "shop";
  target.name = "a";
  s.forget();
  executors::request_removal(s.session->home(), {target}, {}, {});
  CHECK(is_going(s.vc("shop", "a")));
  const auto writes = s.home->writes();
  REQUIRE(writes.size() == 2);
  CHECK(writes[0].verb == "patch");
  CHECK(writes[1].verb == "delete");
  s.settle();
  CHECK(s.vc("shop", "a").is_null());
}

TEST_CASE(
    "deletion: of the project's namespace: nothing is made in it, and the Project has it again") {
  Site s;
  make_whole(s);
  s.home->put(held_map("shop"));
  const Json before = s.namespace_at(s.home, "shop");
  s.home->remove("namespaces", "shop");
  s.forget();
  s.settle();
  for (const LoggedRequest& each : s.home->writes()) {
    CAPTURE(each.to_string());
    CHECK(each.verb != "create");
    CHECK(each.resource != "leases");
  }
  CHECK(s.namespace_at(s.home, "shop-a").is_null());
  CHECK(s.namespace_at(s.far, "shop-far").is_null());
  let_go_of_map(s, "shop");
  s.settle();
  const Json after = s.namespace_at(s.home, "shop");
  REQUIRE(!after.is_null());
  CHECK(after["metadata"]["uid"] != before["metadata"]["uid"]);
  CHECK(s.vc("shop", "a").is_null());
}

TEST_CASE("deletion: of a project and its namespace at once") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "a");
  s.settle();
  s.home->remove("namespaces", "shop");
  ask_for_project(s);
  s.settle();
  CHECK(s.project("shop").is_null());
  CHECK(s.namespace_at(s.home, "shop").is_null());
  CHECK(s.namespace_at(s.home, "shop-a").is_null());
}

TEST_CASE("deletion: what was never made needs no cluster") {
  Site s;
  s.make_project("shop");
  s.cluster("shop", "far", Site::kubeconfig("https://nowhere:6443"));
  s.virtual_cluster("shop", "far", Json::object(), "far");
  s.reconcile();
  ask_for_project(s);
  s.settle();
  CHECK(s.project("shop").is_null());
}

TEST_CASE("deletion: a namespace that somebody else has deleted already is no obstacle") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "a");
  s.settle();
  s.home->remove("namespaces", "shop-a");
  s.home->remove("virtualclusters.kubist.io", "a", "shop");
  const auto report = s.settle();
  CHECK(report.summary.failed == 0);
  CHECK(s.vc("shop", "a").is_null());
}

TEST_CASE("deletion: a refusal of the server is told, and the next run goes on") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "a");
  s.settle();
  s.home->remove("virtualclusters.kubist.io", "a", "shop");
  s.home->fail("DELETE /api/v1/namespaces/shop-a*", 403);
  CHECK(s.reconcile().summary.failed == 1);
  CHECK(is_going(s.vc("shop", "a")));
  s.settle();
  CHECK(s.vc("shop", "a").is_null());
}
