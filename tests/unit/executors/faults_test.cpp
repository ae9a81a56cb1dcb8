// What is wrong with one node stays with it and what is below it.
#include <set>

#include "site.hpp"

using namespace site;

namespace {

const char* const k_nowhere = "https://nowhere:6443";

std::string with_cluster_field(const std::string& server, const char* field, const Json& value) {
  Json config = Json::parse(Site::kubeconfig(server));
  config["clusters"][0]["cluster"][field] = value;
  return config.dump();
}

void with_child(Site& s, const std::string& name, const std::string& kubeconfig) {
  s.cluster("shop", name, kubeconfig);
  s.virtual_cluster("shop", "on-" + name, Json::object(), name);
}

void check_refused(Site& s, const std::string& kubeconfig, const std::string& why) {
  s.make_project("shop");
  s.virtual_cluster("shop", "good");
  with_child(s, "bad", kubeconfig);
  s.reconcile();
  const Json bad = s.get("clusters", "shop", "bad");
  CHECK(condition(bad) == "False");
  CHECK(condition(bad, "Stalled") == "True");
  CHECK(reason(bad, "Stalled") == why);
  CHECK(condition(s.vc("shop", "on-bad")) == "Unknown");
  CHECK(reason(s.vc("shop", "on-bad")) == "ParentNotReady");
  CHECK(condition(s.vc("shop", "good")) == "True");
  CHECK(condition(s.project("shop"), "TreeReady") == "False");
  s.forget();
  s.reconcile();
  CHECK(s.writes() == 0);  // stalled: nothing new to say
}

/// Everything but the lock that a run wrote: "resource/name".
std::set<std::string> names_written(const Site& s) {
  std::set<std::string> names;
  for (const LoggedRequest& each : s.home->writes()) {
    if (each.resource != "leases" && each.resource != "events") {
      names.insert(cat(each.resource, '/', each.name));
    }
  }
  return names;
}

}  // namespace

TEST_CASE("faults: a kubeconfig that runs a program is refused") {
  Site s;
  check_refused(
      s,
      Site::kubeconfig(s.far->server(), {{"exec",
                                          {{"apiVersion", "client.authentication.k8s.io/v1"},
                                           {"command", "/bin/true"},
                                           {"interactiveMode", "Never"}}}}),
      "KubeconfigNotAllowed");
}

TEST_CASE("faults: a kubeconfig with a proxy is refused") {
  Site s;
  check_refused(s, with_cluster_field(s.far->server(), "proxy-url", "http://proxy:3128"),
                "KubeconfigNotAllowed");
}

TEST_CASE("faults: a kubeconfig that reads files is refused") {
  Site s;
  check_refused(s, with_cluster_field(s.far->server(), "certificate-authority", "/etc/ssl/ca.pem"),
                "KubeconfigNotAllowed");
}

TEST_CASE("faults: a Cluster without its Secret says which one, and goes when it comes") {
  Site s;
  s.make_project("shop");
  s.put("Cluster", "shop", "far",
        {{"kubeconfigSecretRef", {{"name", "far"}}}, {"istio", {{"mode", "Ignore"}}}});
  s.reconcile();
  CHECK(reason(s.get("clusters", "shop", "far")) == "SecretNotFound");
  CHECK(message(s.get("clusters", "shop", "far")).find("shop/far") != std::string::npos);
  s.secret("shop", "far", Site::kubeconfig(s.far->server()));
  s.reconcile();
  CHECK(condition(s.get("clusters", "shop", "far")) == "True");
}

TEST_CASE("faults: a Secret without the key says which one") {
  Site s;
  s.make_project("shop");
  s.secret("shop", "far", "x");
  s.put("Cluster", "shop", "far", {{"kubeconfigSecretRef", {{"name", "far"}, {"key", "other"}}}});
  s.reconcile();
  CHECK(reason(s.get("clusters", "shop", "far")) == "SecretKeyNotFound");
}

TEST_CASE("faults: a server that does not answer is tried again, its siblings go on") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "good");
  with_child(s, "gone", Site::kubeconfig(k_nowhere));
  const auto report = s.reconcile();
  CHECK(report.summary.failed == 1);
  const Json gone = s.get("clusters", "shop", "gone");
  CHECK(condition(gone) == "False");
  CHECK(condition(gone, "Reconciling") == "True");
  CHECK(condition(gone, "Stalled") == "False");
  CHECK(condition(s.vc("shop", "on-gone")) == "Unknown");
  CHECK(condition(s.vc("shop", "good")) == "True");
}

TEST_CASE("faults: a cluster that loses its server and gets it back writes its own subtree") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "good");
  with_child(s, "far", Site::kubeconfig(s.far->server()));
  s.settle();
  s.network->remove("far");
  s.open();
  s.forget();
  s.reconcile();
  CHECK(names_written(s) ==
        std::set<std::string>{"clusters/far", "virtualclusters/on-far", "projects/shop"});
  CHECK(reason(s.vc("shop", "on-far")) == "ParentNotReady");
  s.network->add(s.far);
  s.forget();
  s.reconcile();
  CHECK(names_written(s) ==
        std::set<std::string>{"clusters/far", "virtualclusters/on-far", "projects/shop"});
  CHECK(condition(s.project("shop"), "TreeReady") == "True");
  CHECK(s.far->writes().empty());
}

TEST_CASE("faults: a kubeconfig that leads to another cluster than before is refused") {
  Site s;
  s.make_project("shop");
  with_child(s, "moves", Site::kubeconfig(s.far->server()));
  s.settle();
  const Json before = s.get("clusters", "shop", "moves");
  CHECK(condition(before) == "True");
  s.secret("shop", "moves", Site::kubeconfig(s.home->server()));
  s.forget();
  s.reconcile();
  const Json after = s.get("clusters", "shop", "moves");
  CHECK(reason(after) == "ClusterIdentityChanged");
  CHECK(condition(after, "Stalled") == "True");
  CHECK(after["status"]["kubeSystemUID"] == before["status"]["kubeSystemUID"]);
  CHECK(s.namespace_at(s.home, "shop-on-moves").is_null());
}

TEST_CASE("faults: a write that is refused fails its node, and the next run does it") {
  for (const int status : {403, 500, 422}) {
    CAPTURE(status);
    Site s;
    s.make_project("shop");
    s.make_project("blog");
    s.virtual_cluster("shop", "a");
    s.virtual_cluster("blog", "a");
    s.home->fail("PATCH /api/v1/namespaces/shop-a*", status);
    const auto report = s.reconcile();
    CHECK(report.summary.failed == 1);
    CHECK(condition(s.vc("shop", "a")) == "False");
    CHECK(condition(s.vc("blog", "a")) == "True");
    CHECK(condition(s.project("blog"), "TreeReady") == "True");
    s.settle();
    CHECK(condition(s.vc("shop", "a")) == "True");
    CHECK(condition(s.project("shop"), "TreeReady") == "True");
  }
}

TEST_CASE("faults: an answer that is lost leaves a namespace that the next run knows for its own") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "a");
  s.home->lose("PATCH /api/v1/namespaces/shop-a*");
  s.reconcile();
  const Json entry = s.vc("shop", "a")["status"]["inventory"][0];
  CHECK(entry["name"] == "shop-a");  // written ahead of the namespace
  s.settle();
  CHECK(condition(s.vc("shop", "a")) == "True");
  CHECK_FALSE(s.vc("shop", "a")["status"]["inventory"][0].contains("adopted"));
}

TEST_CASE("faults: a virtual cluster cannot reach for a namespace that is not its project's") {
  Site s;
  s.make_project("shop");
  s.make_project("blog", {{"home", {{"namespaces", {"blog-*"}}}}});
  s.put("VirtualCluster", "shop", "system",
        {{"clusterRef", {{"name", "home"}}}, {"namespace", "kube-system"}, {"adopt", true}});
  s.put("VirtualCluster", "shop", "theirs",
        {{"clusterRef", {{"name", "home"}}}, {"namespace", "blog"}, {"adopt", true}});
  s.put("VirtualCluster", "shop", "foreign",
        {{"clusterRef", {{"name", "home"}}}, {"namespace", "not-granted"}});
  s.virtual_cluster("shop", "fine");
  const Json before = s.namespace_at(s.home, "kube-system");
  const Json blog = s.namespace_at(s.home, "blog");
  s.reconcile();
  for (const char* name : {"system", "theirs", "foreign"}) {
    CAPTURE(name);
    CHECK(condition(s.vc("shop", name), "Stalled") == "True");
    CHECK(reason(s.vc("shop", name)) == "NamespaceNotAllowed");
  }
  CHECK(condition(s.vc("shop", "fine")) == "True");
  CHECK(s.namespace_at(s.home, "kube-system") == before);
  CHECK(s.namespace_at(s.home, "blog") == blog);
  CHECK(s.namespace_at(s.home, "not-granted").is_null());
}

TEST_CASE("faults: a cluster without a right says what it may not") {
  Site s;
  s.make_project("shop");
  http::Headers none;
  s.home->fail("POST *selfsubjectaccessreviews*", 403, 1, none);
  s.virtual_cluster("shop", "a");
  const auto report = s.reconcile();
  CHECK(report.summary.failed + report.summary.not_ready >= 1);
  s.settle();
  CHECK(condition(s.vc("shop", "a")) == "True");
}

TEST_CASE("faults: a status that somebody wrote in between is not lost") {
  Site s;
  s.put("Root", "", "root");
  s.make_project("shop");
  s.home->before("PATCH */roots/root/status*", [&] {
    s.home->patch("roots.kubist.io", "root", "", kube::PatchType::merge,
                  {{"metadata", {{"labels", {{"new", "yes"}}}}}});
  });
  s.virtual_cluster("shop", "a");
  s.settle();
  CHECK(condition(s.get("roots", "", "root"), "TreeReady") == "True");
}

TEST_CASE("faults: who watches has no charts of its machine for items") {
  Site s;
  s.make_project("shop");
  s.home->put(
      {{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
       {"kind", "DeployItem"},
       {"metadata", {{"name", "web"}, {"namespace", "shop"}}},
       {"spec", {{"type", "kubist.io/helm"}, {"config", {{"chart", {{"path", "/srv/chart"}}}}}}}});
  executors::ReconcileOptions options;
  options.local_charts = false;
  s.reconcile(options);
  const Json live = s.home->get("deployitems.landscaper.gardener.cloud", "web", "shop");
  CHECK_MESSAGE(live.dump().find("config.chart.path: charts on this machine") != std::string::npos,
                live.dump());
}

TEST_CASE("faults: a definition that serves a kind of kubist's name changes nobody's executor") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "dev");
  s.home->put(
      object("ExecutorDefinition", "", "thief",
             {{"runtime", {{"jsonnet", {{"source", "function(x) x"}}}}},
              {"serves", {{"apiVersion", "evil.example/v1"}, {"kind", "VirtualCluster"}}}}));
  const auto run = s.run();
  CHECK(condition(s.vc("shop", "dev")) == "True");
  REQUIRE(run.warnings.size() == 1);
  CHECK_MESSAGE(run.warnings[0].starts_with("ExecutorDefinition/thief serves "
                                            "VirtualCluster.evil.example, which is left out"),
                run.warnings[0]);
  CHECK(run.warnings[0].find("the name or the group of kubist's kinds") != std::string::npos);
}

TEST_CASE("faults: an item that another deployer does not end fails itself after its timeout") {
  Site s;
  s.make_project("shop");
  Json item = object("DeployItem", "shop", "slow", {{"type", "example.com/x"}, {"timeout", "1h"}});
  item["apiVersion"] = "landscaper.gardener.cloud/v1alpha1";
  item["status"] = {{"phase", "Progressing"},
                    {"jobID", "a"},
                    {"transitionTimes", {{"initTime", "2020-01-01T00:00:00Z"}}}};
  s.home->plant(item);
  const auto report = s.reconcile();
  const auto& slow = node_of(report, "DeployItem", "slow");
  CHECK(slow.reason == "Timeout");
  CHECK(slow.message == "its deployer, for type example.com/x, is not done within 1h0m0s");
  CHECK(node_of(report, "Cluster", "home").ready);
}

TEST_CASE("faults: an item's exports are a kubeconfig under their default name only") {
  for (const auto& [name, reason] :
       {std::pair{"make-export", "Aligned"}, std::pair{"eu", "KubeconfigNotAllowed"}}) {
    Site s;
    s.make_project("shop");
    Json secret = testing::secret("shop", name, Site::kubeconfig(s.far->server()));
    secret["metadata"]["annotations"] = {{"kubist.io/deployitem", "shop/make"}};
    s.home->put(secret);
    s.put("Cluster", "shop", "eu",
          {{"kubeconfigSecretRef", {{"name", name}}}, {"istio", {{"mode", "Ignore"}}}});
    CHECK(node_of(s.reconcile(), "Cluster", "eu").reason == reason);
  }
}
