// Who owns what: marks, the inventory, and what happens when they disagree.
#include "site.hpp"

using namespace site;

namespace {

Json marked(const std::string& name, const std::string& mark) {
  Json made = plain("Namespace", "", name);
  made["metadata"]["labels"] = {{"app.kubernetes.io/managed-by", "kubist"}};
  made["metadata"]["annotations"] = {{"kubist.io/owner", mark}};
  return made;
}

/// A namespace that is there already, and a virtual cluster that wants it.
void with_foreign(Site& s, const Json& more) {
  s.make_project("shop", {{"home", {{"namespaces", {"shop-a"}}}}});
  s.home->put(plain("Namespace", "", "shop-a"));
  s.virtual_cluster("shop", "a", more);
}

std::string mark_of(const Site& s, const std::string& name) {
  return std::string(data::string_at(s.namespace_at(s.home, name),
                                     {"metadata", "annotations", "kubist.io/owner"}));
}

std::string own_mark(const Site& s) { return cat(s.home->uid(), "/VirtualCluster/shop/a"); }

}  // namespace

TEST_CASE("ownership: a namespace that kubist did not make is refused") {
  Site s;
  with_foreign(s, Json::object());
  const Json before = s.namespace_at(s.home, "shop-a");
  s.reconcile();
  CHECK(reason(s.vc("shop", "a")) == "NamespaceExists");
  CHECK(s.namespace_at(s.home, "shop-a") == before);
}

TEST_CASE("ownership: labels with power over others need the Project's word at home") {
  const auto refused = [](const Json& labels, const Json& granted = Json::array(),
                          const char* field = "labels") {
    Site s;
    s.make_project("shop", {{"home", {{"labels", granted}}}});
    s.virtual_cluster("shop", "a", {{field, labels}});
    s.settle();
    const Json live = s.vc("shop", "a");
    CHECK(s.namespace_at(s.home, "shop-a").is_null() == (condition(live) != "True"));
    return condition(live) == "True" ? std::string() : reason(live, "Stalled") + message(live);
  };
  for (const char* key : {"pod-security.kubernetes.io/enforce", "istio.io/rev",
                          "topology.istio.io/network", "field.cattle.io/projectId",
                          "security.openshift.io/scc.podSecurityLabelSync", "example.com/tenant",
                          "app.kubernetes.io/managed-by", "kubist.io/project", "control-plane"}) {
    CAPTURE(key);
    CHECK(refused({{key, "x"}}).starts_with("LabelNotAllowed"));
    CHECK(refused({{key, "x"}}, Json::array(), "annotations").starts_with("LabelNotAllowed"));
  }
  CHECK(refused({{"stage", "test"}, {"app.kubernetes.io/part-of", "shop"}}) == "");

  const std::string why = refused({{"pod-security.kubernetes.io/enforce", "privileged"}});
  CHECK(why.find("spec.labels[\"pod-security.kubernetes.io/enforce\"]") != std::string::npos);
  CHECK(why.find("spec.home.labels of Project shop") != std::string::npos);
  CHECK(refused({{"istio.io/rev", "x"}}).find("spec.injection") != std::string::npos);

  CHECK(refused({{"pod-security.kubernetes.io/enforce", "baseline"}},
                {"pod-security.kubernetes.io/*"}) == "");
  CHECK(refused({{"a.example.com/tenant", "x"}}, {"*.example.com/tenant"}, "annotations") == "");
  CHECK(refused({{"example.com.evil/tenant", "x"}}, {"*.example.com/tenant"}) != "");
  CHECK(refused({{"kubist.io/project", "x"}}, {"kubist.io/*"}).starts_with("LabelNotAllowed"));
  CHECK(refused({{"control-plane", "x"}}, {"control-plane"}) == "");
  CHECK(refused({{"example.com/tenant", "x"}}, {"*"}).starts_with("LabelNotAllowed"));
}

TEST_CASE("ownership: a Project with a pattern for hosts of anybody is refused") {
  Site s;
  s.put("Project", "", "shop", {{"allow", {{"metrics", {"https://*.com/*"}}}}});
  s.reconcile();
  CHECK(reason(s.project("shop"), "Stalled") == "PatternNotAllowed");
  CHECK(message(s.project("shop")).find("spec.allow.metrics[0]") != std::string::npos);
  CHECK(s.namespace_at(s.home, "shop").is_null());
}

TEST_CASE("ownership: on another cluster its kubeconfig's rights decide about labels") {
  Site s;
  s.make_project("shop");
  s.cluster("shop", "far", Site::kubeconfig(s.far->server()));
  s.virtual_cluster("shop", "a", {{"labels", {{"pod-security.kubernetes.io/enforce", "baseline"}}}},
                    "far");
  s.settle();
  CHECK(condition(s.vc("shop", "a")) == "True");
}

TEST_CASE("ownership: one that is to be adopted gets the mark and stays when its owner goes") {
  Site s;
  with_foreign(s, {{"adopt", true}});
  s.settle();
  CHECK(condition(s.vc("shop", "a")) == "True");
  CHECK(s.vc("shop", "a")["status"]["adopted"] == true);
  CHECK(mark_of(s, "shop-a") == own_mark(s));
  s.home->remove("virtualclusters.kubist.io", "a", "shop");
  s.settle();
  CHECK(s.vc("shop", "a").is_null());
  CHECK(!s.namespace_at(s.home, "shop-a").is_null());
  CHECK(mark_of(s, "shop-a").empty());
}

TEST_CASE("ownership: one of another owner is refused, also to who would adopt it") {
  Site s;
  s.make_project("shop");
  s.home->put(marked("shop-a", "somebody/else/at/all"));
  s.virtual_cluster("shop", "a", {{"adopt", true}});
  s.reconcile();
  CHECK(reason(s.vc("shop", "a")) == "NamespaceTaken");
  CHECK(mark_of(s, "shop-a") == "somebody/else/at/all");
}

TEST_CASE("ownership: one with the own mark is the own one, after a crash") {
  Site s;
  s.make_project("shop");
  s.home->put(marked("shop-a", own_mark(s)));
  s.virtual_cluster("shop", "a");
  s.settle();
  CHECK(condition(s.vc("shop", "a")) == "True");
  CHECK_FALSE(s.vc("shop", "a")["status"].value("adopted", false));
  s.home->remove("virtualclusters.kubist.io", "a", "shop");
  s.settle();
  CHECK(s.namespace_at(s.home, "shop-a").is_null());
}

TEST_CASE("ownership: what is not to be created is waited for") {
  Site s;
  s.make_project("shop", {{"home", {{"namespaces", {"shop-a"}}}}});
  s.virtual_cluster("shop", "a", {{"create", false}, {"adopt", true}});
  s.reconcile();
  CHECK(reason(s.vc("shop", "a")) == "NamespaceNotFound");
  s.home->put(plain("Namespace", "", "shop-a"));
  s.settle();
  CHECK(condition(s.vc("shop", "a")) == "True");
}

TEST_CASE("ownership: the inventory has its entry before the namespace is made") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "a");
  bool known = false;
  s.home->before("PATCH /api/v1/namespaces/shop-a*",
                 [&] { known = s.vc("shop", "a")["status"]["inventory"][0]["name"] == "shop-a"; });
  s.reconcile();
  CHECK(known);
  CHECK(s.vc("shop", "a")["status"]["inventory"][0]["uid"] ==
        s.namespace_at(s.home, "shop-a")["metadata"]["uid"]);
}

TEST_CASE("ownership: a label that somebody else keeps is a conflict") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "a");
  s.settle();
  Json theirs = plain("Namespace", "", "shop-a");
  theirs["metadata"]["labels"] = {{"team", "theirs"}};
  s.home->put(theirs);
  s.virtual_cluster("shop", "a", {{"labels", {{"team", "ours"}}}});
  const auto report = s.reconcile();
  CHECK(reason(s.vc("shop", "a")) == "Conflict");
  CHECK(s.namespace_at(s.home, "shop-a")["metadata"]["labels"]["team"] == "theirs");
  REQUIRE(node_of(report, "VirtualCluster", "a").error);
  CHECK(node_of(report, "VirtualCluster", "a").error->kind == util::ErrorKind::conflict);
}

TEST_CASE("ownership: a label that kubist applied and somebody else overwrote is repaired") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "a", {{"labels", {{"team", "ours"}}}});
  s.settle();
  const auto overwrite = [&] {
    s.home->patch("namespaces", "shop-a", "", kube::PatchType::merge,
                  {{"metadata", {{"labels", {{"team", "theirs"}}}}}});
  };
  const auto team = [&] { return s.namespace_at(s.home, "shop-a")["metadata"]["labels"]["team"]; };
  overwrite();
  const auto report = s.reconcile();
  CHECK(reason(s.vc("shop", "a")) == "Aligned");
  CHECK(team() == "ours");
  const auto& writes = node_of(report, "VirtualCluster", "a").writes;
  REQUIRE(writes.size() == 1);
  CHECK(writes[0].detail.starts_with("repaired: "));
  // Whoever changes it together with the wish is asked first.
  overwrite();
  s.virtual_cluster("shop", "a", {{"labels", {{"team", "others"}}}});
  s.reconcile();
  CHECK(reason(s.vc("shop", "a")) == "Conflict");
  CHECK(team() == "theirs");
}

TEST_CASE("ownership: nobody else's finalizer is lost with kubist's own") {
  Site s;
  s.make_project("shop");
  Json held = object("VirtualCluster", "shop", "a",
                     {{"clusterRef", {{"name", "home"}}}, {"namespace", "shop-a"}});
  held["metadata"]["finalizers"] = {"example.com/hold"};
  s.home->put(held);
  s.settle();
  CHECK(s.vc("shop", "a")["metadata"]["finalizers"] ==
        Json::array({"example.com/hold", "kubist.io/finalizer"}));
  s.home->remove("virtualclusters.kubist.io", "a", "shop");
  s.settle();
  CHECK(s.vc("shop", "a")["metadata"]["finalizers"] == Json::array({"example.com/hold"}));
  CHECK(s.namespace_at(s.home, "shop-a").is_null());
}

TEST_CASE("ownership: a finalizer that comes in between does not get lost") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "a");
  s.home->before("PATCH */virtualclusters/a?*", [&] {
    Json theirs = object("VirtualCluster", "shop", "a",
                         {{"clusterRef", {{"name", "home"}}}, {"namespace", "shop-a"}});
    theirs["metadata"]["finalizers"] = {"example.com/hold"};
    s.home->put(theirs);
  });
  s.settle();
  CHECK(s.vc("shop", "a")["metadata"]["finalizers"].size() == 2);
}

TEST_CASE("ownership: a namespace goes only where entry, mark and uid agree") {
  Site s;
  s.make_project("shop");
  const std::vector<std::string> names{"marked", "replaced", "forgotten", "fine"};
  for (const std::string& name : names) {
    s.virtual_cluster("shop", name);
  }
  s.settle();
  s.home->patch("namespaces", "shop-marked", "", kube::PatchType::merge,
                {{"metadata", {{"annotations", {{"kubist.io/owner", "somebody/else"}}}}}});
  const std::string mark = mark_of(s, "shop-replaced");
  s.home->remove("namespaces", "shop-replaced");
  s.home->put(marked("shop-replaced", mark));
  s.home->patch("virtualclusters.kubist.io", "forgotten", "shop", kube::PatchType::merge,
                {{"status", {{"inventory", nullptr}}}}, "status");
  for (const std::string& name : names) {
    s.home->remove("virtualclusters.kubist.io", name, "shop");
  }
  s.settle();
  for (const std::string& name : names) {
    CAPTURE(name);
    CHECK(s.vc("shop", name).is_null());
    CHECK(s.namespace_at(s.home, "shop-" + name).is_null() == (name == "fine"));
  }
}

TEST_CASE("ownership: a namespace that was replaced between look and write is not touched") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "a");
  s.settle();
  s.virtual_cluster("shop", "a", {{"labels", {{"x", "y"}}}});
  s.home->before("PATCH /api/v1/namespaces/shop-a*", [&] {
    s.home->remove("namespaces", "shop-a");
    s.home->put(plain("Namespace", "", "shop-a"));
  });
  s.reconcile();
  CHECK_FALSE(s.namespace_at(s.home, "shop-a")["metadata"]["labels"].contains("x"));
  CHECK(condition(s.vc("shop", "a")) == "False");
}

TEST_CASE("ownership: two virtual clusters cannot keep one namespace") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "a");
  s.settle();
  s.virtual_cluster("shop", "b", {{"namespace", "shop-a"}});
  s.reconcile();
  CHECK(reason(s.vc("shop", "b")) == "NamespaceTaken");
  CHECK(mark_of(s, "shop-a") == own_mark(s));
}

TEST_CASE("ownership: a Secret that gives a Cluster access is held while it does") {
  Site s;
  s.make_project("shop");
  s.cluster("shop", "far", Site::kubeconfig(s.far->server()));
  s.settle();
  CHECK(s.home->get("secrets", "far", "shop")["metadata"]["finalizers"] ==
        Json::array({"kubist.io/in-use"}));
  s.home->remove("clusters.kubist.io", "far", "shop");
  s.settle();
  const Json left = s.home->get("secrets", "far", "shop");
  CHECK_FALSE(left["metadata"].contains("finalizers"));
  CHECK(left["metadata"]["labels"]["kubist.io/internal"] == "true");  // items do not get it now
}

TEST_CASE("ownership: a Secret that a Cluster names, and is not connected by, stays as it is") {
  for (const char* home :
       {"{op: add, path: /spec/home, value: true}, {op: remove, path: /spec/kubeconfigSecretRef}",
        "{op: add, path: /spec/home, value: true}"}) {
    CAPTURE(home);
    Site s;
    s.make_project("shop");
    Json hooks = testing::secret("shop", "hooks", "https://hooks.example.com/x");
    hooks["metadata"]["labels"] = {{"kubist.io/internal", "notifications"}};
    s.home->put(hooks);
    const Json before = s.home->get("secrets", "hooks", "shop");
    s.put("Cluster", "shop", "near",
          yaml(cat("{kubeconfigSecretRef: {name: hooks}, istio: {mode: Ignore}, policies: "
                   "[{name: JsonPatch, parameters: {patch: [",
                   home, "]}}]}")));
    s.settle();
    CHECK(condition(s.get("clusters", "shop", "near")) == "True");
    CHECK(s.home->get("secrets", "hooks", "shop") == before);
    s.home->remove("clusters.kubist.io", "near", "shop");
    s.settle();
    CHECK(s.get("clusters", "shop", "near").is_null());
    CHECK(s.home->get("secrets", "hooks", "shop") == before);
  }
}

TEST_CASE("ownership: the Secret that a Cluster's policies chose is held, and let go of with it") {
  Site s;
  s.make_project("shop");
  s.secret("shop", "other", Site::kubeconfig(s.far->server()));
  s.put("Cluster", "shop", "far",
        yaml("{kubeconfigSecretRef: {name: nosuch}, istio: {mode: Ignore}, policies: "
             "[{name: JsonPatch, parameters: {patch: [{op: replace, path: "
             "/spec/kubeconfigSecretRef/name, value: other}]}}]}"));
  s.settle();
  CHECK(s.home->get("secrets", "other", "shop")["metadata"]["finalizers"] ==
        Json::array({"kubist.io/in-use"}));
  s.home->remove("clusters.kubist.io", "far", "shop");
  s.settle();
  CHECK(s.get("clusters", "shop", "far").is_null());
  const Json left = s.home->get("secrets", "other", "shop");
  CHECK_FALSE(left["metadata"].contains("finalizers"));
  CHECK(left["metadata"]["labels"]["kubist.io/internal"] == "true");
}

TEST_CASE("ownership: what somebody labelled a kubeconfig's Secret outlasts its Cluster") {
  Site s;
  s.make_project("shop");
  s.cluster("shop", "far", Site::kubeconfig(s.far->server()));
  s.home->patch("secrets", "far", "shop", kube::PatchType::merge,
                {{"metadata", {{"labels", {{"kubist.io/internal", "access"}}}}}});
  s.settle();
  s.home->remove("clusters.kubist.io", "far", "shop");
  s.settle();
  const Json left = s.home->get("secrets", "far", "shop");
  CHECK_FALSE(left["metadata"].contains("finalizers"));
  CHECK(left["metadata"]["labels"]["kubist.io/internal"] == "access");
}

TEST_CASE("ownership: a namespace stays with the Project that keeps it, and the other is told") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "dev");
  s.settle();
  s.put("Project", "", "before", {{"namespace", "shop"}});  // the first by its name
  for (int walk = 0; walk < 2; ++walk) {
    const auto report = s.reconcile();
    CHECK(node_of(report, "Project", "shop").ready);
    CHECK(node_of(report, "VirtualCluster", "dev").ready);
    CHECK(node_of(report, "Project", "before").reason == "NamespaceTaken");
    CHECK(node_of(report, "Project", "before").message.find("belongs to") != std::string::npos);
  }
  CHECK(reason(s.project("before"), "Stalled") == "NamespaceTaken");
  s.home->remove("projects.kubist.io", "before");
  CHECK(s.reconcile().summary.failed == 0);
}
