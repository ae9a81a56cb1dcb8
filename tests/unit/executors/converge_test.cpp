// Trees become Ready, and what is as it should be is not written.
#include "site.hpp"

using namespace site;

namespace {

/// Two projects with a cluster at home and one far away, and two virtual clusters on each.
void make_trees(Site& s) {
  s.make_project("shop");
  s.make_project("blog");
  for (const char* project : {"shop", "blog"}) {
    s.cluster(project, "far", Site::kubeconfig(s.far->server()));
    s.virtual_cluster(project, "a");
    s.virtual_cluster(project, "b");
    s.virtual_cluster(project, "c", testing::in_the_mesh(), "far");
    s.virtual_cluster(project, "d", Json::object(), "far");
  }
}

}  // namespace

TEST_CASE("converge: trees become Ready, and the second run writes nothing anywhere") {
  Site s;
  make_trees(s);
  const auto first = s.reconcile();
  CHECK(first.summary.nodes == 14);
  CHECK(first.summary.ready == 14);
  for (const char* project : {"shop", "blog"}) {
    CHECK(condition(s.project(project)) == "True");
    CHECK(condition(s.project(project), "TreeReady") == "True");
  }
  const Json made = s.namespace_at(s.far, "shop-c");
  CHECK(made["metadata"]["labels"]["istio-injection"] == "enabled");
  CHECK(made["metadata"]["labels"]["app.kubernetes.io/managed-by"] == "kubist");
  s.forget();
  const auto second = s.reconcile();
  CHECK(second.summary.ready == 14);
  CHECK(second.summary.writes == 0);
  CHECK(s.writes() == 0);
  CHECK(s.home->log().size() > 5);
  CHECK(s.far->log().size() > 2);
  s.open();  // another process knows nothing of the first
  s.reconcile();
  CHECK(s.writes() == 0);
}

TEST_CASE("converge: a changed label is one write, to the namespace, and the lock's") {
  Site s;
  make_trees(s);
  s.reconcile();
  s.virtual_cluster("shop", "a", {{"labels", {{"team", "a"}}}});
  s.forget();
  s.reconcile();
  CHECK(s.namespace_at(s.home, "shop-a")["metadata"]["labels"]["team"] == "a");
  const auto written = s.written();
  REQUIRE(written.size() == 2);
  CHECK(written[0] == "patch namespaces shop-a");
  CHECK(written[1] == "patch virtualclusters shop/a status");  // its generation
}

TEST_CASE("converge: a label that is not wanted any more goes, one of somebody else stays") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "a", {{"labels", {{"team", "a"}}}});
  s.reconcile();
  s.home->patch("namespaces", "shop-a", "", kube::PatchType::merge,
                {{"metadata", {{"labels", {{"theirs", "yes"}}}}}});
  s.virtual_cluster("shop", "a");
  s.reconcile();
  const Json labels = s.namespace_at(s.home, "shop-a")["metadata"]["labels"];
  CHECK_FALSE(labels.contains("team"));
  CHECK(labels["theirs"] == "yes");
}

TEST_CASE("converge: a namespace that somebody deleted is made again") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "a");
  s.reconcile();
  const Json before = s.namespace_at(s.home, "shop-a");
  s.home->remove("namespaces", "shop-a");
  s.settle();
  const Json after = s.namespace_at(s.home, "shop-a");
  REQUIRE(!after.is_null());
  CHECK(after["metadata"]["uid"] != before["metadata"]["uid"]);
  CHECK(s.vc("shop", "a")["status"]["namespaceUID"] == after["metadata"]["uid"]);
  CHECK(condition(s.vc("shop", "a")) == "True");
}

TEST_CASE("converge: a selection takes its subtree and nothing else") {
  Site s;
  make_trees(s);
  s.forget();
  const auto report = s.reconcile(only({key("Cluster", "shop", "home")}));
  CHECK(report.summary.nodes == 3);
  CHECK(condition(s.vc("shop", "a")) == "True");
  CHECK(condition(s.vc("shop", "c")).empty());
  CHECK(s.namespace_at(s.home, "blog-a").is_null());
  CHECK(s.far->writes().empty());
}

TEST_CASE("converge: a selection of what is not there is not found, or left out when told to") {
  Site s;
  s.make_project("shop");
  engine::Observer observer;
  auto options = only({key("Cluster", "shop", "none")});
  const auto missing = s.session->run(options, observer, {});
  REQUIRE(!missing);
  CHECK(missing.error().kind == util::ErrorKind::not_found);
  options.ignore_missing = true;
  CHECK(s.reconcile(options).summary.nodes == 0);
}

TEST_CASE("converge: a project goes beside a Root that was never reconciled") {
  Site s;
  s.put("Root", "", "root");
  s.put("Project", "", "shop");
  const auto report = s.reconcile(only({key("Project", "", "shop")}));
  CHECK(report.summary.ready == 1);
  CHECK(!s.namespace_at(s.home, "shop").is_null());
}

TEST_CASE("converge: the Root is Ready with its tree, and says so once" *
          doctest::description("seed 1.4: every executor triggers those of its children")) {
  Site s;
  s.put("Root", "", "root");
  s.make_project("shop");
  s.virtual_cluster("shop", "a");
  s.settle();
  const Json root = s.get("roots", "", "root");
  CHECK(condition(root) == "True");
  CHECK(condition(root, "TreeReady") == "True");
  s.forget();
  s.reconcile();
  CHECK(s.writes() == 0);
}

TEST_CASE("converge: a suspended node writes nothing, nor what is below it") {
  Site s;
  s.make_project("shop");
  s.put("Cluster", "shop", "home",
        {{"home", true}, {"istio", {{"mode", "Ignore"}}}, {"suspend", true}});
  s.virtual_cluster("shop", "a");
  const auto report = s.reconcile();
  CHECK(report.summary.suspended > 0);
  CHECK(s.namespace_at(s.home, "shop-a").is_null());
  s.forget();
  s.reconcile();
  CHECK(s.writes() == 0);
}

TEST_CASE("converge: what others must be Ready for waits, and goes when they are") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "first", {{"create", false}});
  s.virtual_cluster("shop", "second", {{"dependsOn", {"VirtualCluster/first"}}});
  s.reconcile();
  CHECK(reason(s.vc("shop", "first")) == "NamespaceNotFound");
  CHECK(condition(s.vc("shop", "second")) == "Unknown");
  CHECK(s.namespace_at(s.home, "shop-second").is_null());
  s.virtual_cluster("shop", "first");
  s.settle();
  CHECK(condition(s.vc("shop", "second")) == "True");
}

TEST_CASE("converge: dry runs say what they would write, and write nothing") {
  for (const auto mode : {kube::DryRun::client, kube::DryRun::server}) {
    Site s;
    s.make_project("shop");
    s.virtual_cluster("shop", "a");
    s.forget();
    executors::ReconcileOptions options;
    options.dry_run = mode;
    const auto report = s.reconcile(options);
    CHECK(report.summary.nodes == 3);
    CHECK(report.summary.failed == 0);
    const auto& node = node_of(report, "VirtualCluster", "a");
    bool planned = false;
    for (const engine::Write& write : node.writes) {
      planned = planned || write.object == "v1 Namespace/shop-a";
    }
    CHECK(planned);
    CHECK(s.writes() == 0);
    const auto log = s.home->log();
    const bool asked =
        std::any_of(log.begin(), log.end(), [](const LoggedRequest& each) { return each.dry_run; });
    CHECK(asked == (mode == kube::DryRun::server));
  }
}

TEST_CASE("converge: a dry run of objects that are not there yet plans them") {
  Site s;
  executors::ReconcileOptions options;
  options.dry_run = kube::DryRun::server;
  options.planned = {object("Project", "", "shop"),
                     object("Cluster", "shop", "home", {{"home", true}}),
                     object("VirtualCluster", "shop", "a",
                            {{"clusterRef", {{"name", "home"}}}, {"namespace", "shop-a"}})};
  const auto report = s.reconcile(options);
  CHECK(report.summary.nodes == 3);
  CHECK(report.summary.ready == 3);
  CHECK(s.writes() == 0);
  CHECK(s.home->list("projects.kubist.io").empty());
}

TEST_CASE("converge: what changed while a run was planned is planned anew") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "a");
  s.virtual_cluster("shop", "b");
  // Somebody edits a virtual cluster between the plan and the lock.
  s.home->before("POST *leases*", [&] {
    s.virtual_cluster("shop", "b", {{"labels", {{"x", "y"}}}});
  });
  s.home->before("PUT *leases*", [&] {
    s.virtual_cluster("shop", "b", {{"labels", {{"x", "y"}}}});
  });
  s.settle();
  CHECK(s.namespace_at(s.home, "shop-b")["metadata"]["labels"]["x"] == "y");
  CHECK(condition(s.project("shop"), "TreeReady") == "True");
}

TEST_CASE("converge: the kinds that are missing are told, with what to do") {
  Site s;
  s.home->fail("GET /apis/kubist.io/v1alpha1/projects*", 404, 3);
  engine::Observer observer;
  const auto run = s.session->run({}, observer, {});
  REQUIRE(!run);
  CHECK(run.error().kind == util::ErrorKind::not_found);
  CHECK(run.error().hint.find("kubist init") != std::string::npos);
}

TEST_CASE("converge: a namespace keeps the labels of the mesh that its owner no longer asks for") {
  Site s;
  s.make_project("shop");
  const auto injection = [&](const Json& more) {
    Json dev = testing::virtual_cluster("shop", "dev", "home", "shop-dev", more);
    s.home->put(dev);
    s.reconcile();
    return s.namespace_at(s.home, "shop-dev")["metadata"]["labels"].value("istio-injection", "");
  };
  CHECK(injection(testing::in_the_mesh()) == "enabled");
  CHECK(injection(Json::object()) == "enabled");
  s.forget();
  s.reconcile();
  CHECK(s.written() == std::vector<std::string>{});
  CHECK(injection({{"injection", {{"mode", "Unmanaged"}}}}) == "enabled");
  CHECK(injection({{"injection", {{"mode", "None"}}}}) == "");
  CHECK(injection(Json::object()) == "");
}
