// Where the process may have no more threads.
#include "support/no_threads.hpp"

#include "site.hpp"

using namespace site;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("thrown: a run that can make no thread leaves each node Ready, or says why not") {
  Site s;
  for (const std::string ns : {"shop", "blog"}) {
    s.make_project(ns);
    s.virtual_cluster(ns, "near");
    s.cluster(ns, "far", Site::kubeconfig(s.far->server()));
    s.virtual_cluster(ns, "away", testing::in_the_mesh(), "far");
    Json item = object(
        "DeployItem", ns, "map",
        {{"type", "kubist.io/manifest"},
         {"target", {{"name", "away"}}},
         {"config", {{"manifests", Json::array({plain("ConfigMap", ns + "-away", "map")})}}}});
    item["apiVersion"] = "landscaper.gardener.cloud/v1alpha1";
    s.home->put(item);
  }
  s.open();  // what earlier runs have started is gone
  engine::Report report;
  {
    const testing::NoThreads none;
    report = s.reconcile();
  }
  CHECK(report.summary.nodes > 10);
  for (const engine::NodeReport& node : report.nodes) {
    CAPTURE(node.key.kind);
    CAPTURE(node.key.name);
    CHECK((node.ready || (!node.reason.empty() && !node.message.empty())));
  }
  report = s.settle();
  CHECK(report.summary.failed == 0);
  for (const char* ns : {"shop", "blog"}) {
    CHECK(condition(s.project(ns), "TreeReady") == "True");
    CHECK(s.far->get("configmaps", "map", cat(ns, "-away")).is_object());
  }
}
#endif
