// Runs that go on side by side under --watch.
#include "watch_site.hpp"

using namespace site;

TEST_CASE("watch loop: what hangs at one cluster holds up no other node") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "near");
  s.cluster("shop", "far", Site::kubeconfig(s.far->server()));
  s.virtual_cluster("shop", "away", Json::object(), "far");
  Gate gate(*s.far, "* /version*");
  Watch watch(s);
  REQUIRE(testing::comes_true([&] { return is_ready(s, "near") && gate.reached; }));
  const Json made = s.namespace_at(s.home, "shop-near");
  s.home->remove("namespaces", "shop-near");
  CHECK(testing::comes_true([&] {
    const Json again = s.namespace_at(s.home, "shop-near");
    return !again.is_null() && again["metadata"]["uid"] != made["metadata"]["uid"];
  }));
  s.virtual_cluster("shop", "late");
  CHECK(testing::comes_true([&] { return is_ready(s, "late"); }));
  CHECK_FALSE(is_ready(s, "away"));
  gate.open();
  CHECK(testing::comes_true([&] { return is_ready(s, "away"); }));
  const auto is_whole = [&] { return condition(s.project("shop"), "TreeReady") == "True"; };
  CHECK_MESSAGE(testing::comes_true(is_whole), s.project("shop").dump(1),
                s.get("clusters", "shop", "home").dump(1),
                s.get("clusters", "shop", "far").dump(1));
  watch.end();
  CHECK(watch.ended);
  CHECK_MESSAGE(watch.troubles.empty(), util::join(watch.troubles, "\n"));
  CHECK(s.home->get("leases", "kubist", "shop")["spec"]["holderIdentity"] == "");
}

TEST_CASE("watch loop: a cluster that never says what it serves holds up no other one") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "near");
  s.put("Destination", "shop", "web",
        {{"virtualClusterRef", {{"name", "near"}}}, {"ports", {{{"port", 80}}}}});
  s.cluster("shop", "far", Site::kubeconfig(s.far->server()));
  s.virtual_cluster("shop", "away", Json::object(), "far");
  Gate gate(*s.far, "GET /apis");
  Watch watch(s);
  REQUIRE(testing::comes_true([&] { return is_ready(s, "near") && gate.reached; }));
  for (const char* name : {"late", "later", "latest"}) {  // it follows after each run
    s.virtual_cluster("shop", name);
    CHECK(testing::comes_true([&] { return is_ready(s, name); }));
  }
  gate.open();
}

TEST_CASE("watch loop: drift is seen however late the namespaces are listed") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "near", testing::in_the_mesh());
  const std::string lists = "GET /api/v1/namespaces?*limit=*";
  int nth = 1;
  SUBCASE("the first time") {}
  SUBCASE("again, as the watch was refused") {
    s.home->fail("GET /api/v1/namespaces?*watch=1*", 403);
    nth = 2;
  }
  Gate gate(*s.home, lists, nth);
  Watch watch(s);
  REQUIRE(testing::comes_true([&] { return is_ready(s, "near") && gate.reached; }));
  const auto is_injected = [&] {
    return s.namespace_at(s.home, "shop-near")["metadata"]["labels"].value("istio-injection", "") ==
           "enabled";
  };
  REQUIRE(is_injected());
  s.home->patch("namespaces", "shop-near", "", kube::PatchType::merge,
                {{"metadata", {{"labels", {{"istio-injection", nullptr}}}}}});
  gate.open();
  CHECK(testing::comes_true(is_injected));
}

TEST_CASE("watch loop: a change is seen however late its kind is listed") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "near");
  Gate gate(*s.home, "GET */virtualclusters?*limit=*");
  Watch watch(s);
  REQUIRE(testing::comes_true([&] { return gate.reached.load(); }));
  s.virtual_cluster("shop", "near", {{"labels", {{"tier", "one"}}}});
  gate.open();
  REQUIRE(testing::comes_true([&] { return is_ready(s, "near"); }));
  CHECK(testing::comes_true([&] {
    return s.namespace_at(s.home, "shop-near")["metadata"]["labels"].value("tier", "") == "one";
  }));
}

TEST_CASE("watch loop: an unchanged tree is not written by runs side by side") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "near");
  s.settle();
  s.forget();
  Watch watch(s);
  REQUIRE(testing::comes_true([&] { return watch.finished > 0; }));
  watch.end();
  CHECK(s.written().empty());
}

TEST_CASE("watch loop: what watches hold is not listed again") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "near");
  s.settle();
  Watch watch(s);
  REQUIRE(testing::comes_true([&] { return watch.finished > 0; }));
  for (const char* tier : {"one", "two", "three"}) {
    s.forget();
    s.clock.advance(std::chrono::seconds(1));  // a plan as old as the lock is checked again
    s.virtual_cluster("shop", "near", {{"labels", {{"tier", tier}}}});
    const auto is_labelled = [&] {
      return s.namespace_at(s.home, "shop-near")["metadata"]["labels"].value("tier", "") == tier;
    };
    CHECK(testing::comes_true(is_labelled));
  }
  watch.end();
  std::vector<std::string> listed;
  for (const LoggedRequest& each : s.home->log()) {
    if (each.verb == "list" && each.target.find("kubist.io") != std::string::npos) {
      listed.push_back(each.target);
    }
  }
  CHECK_MESSAGE(listed.empty(), util::join(listed, "\n"));
}

TEST_CASE("watch loop: what was refused is tried again when a watch that was refused is back") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "near");
  s.settle();
  Watch watch(s);
  REQUIRE(testing::comes_true([&] { return watch.finished > 0; }));
  s.home->fail("P* /api/v1/namespaces*shop-late*", 403);
  s.virtual_cluster("shop", "late");
  REQUIRE(
      testing::comes_true([&] { return condition(s.vc("shop", "late"), "Stalled") == "True"; }));
  s.home->fail("GET /api/v1/namespaces?*", 403, 3);
  s.home->cut_watches();
  CHECK(testing::comes_true([&] { return is_ready(s, "late"); }));
}

TEST_CASE("watch loop: what is made while a kind is missing is ready when that is back") {
  Site s;
  s.make_project("shop");
  s.settle();
  Watch watch(s);
  REQUIRE(testing::comes_true([&] { return watch.finished > 0; }));
  s.home->fail("GET /apis/kubist.io/v1alpha1/*executions?*", 404, 5);
  s.home->cut_watches();
  REQUIRE(testing::comes_true([&] { return watch.away > 0; }));
  for (const char* name : {"one", "two"}) {
    s.virtual_cluster("shop", name);
    REQUIRE(testing::comes_true([&] { return watch.is_asked(name); }));
  }
  CHECK(testing::comes_true([&] { return is_ready(s, "one") && is_ready(s, "two"); }));
  watch.end();
  REQUIRE(watch.troubles.size() == 1);  // told once
  CHECK(watch.troubles[0].find("cannot list executions: ") == 0);
}

TEST_CASE("watch loop: what changed at a target that was off is mended when it is back") {
  Site s;
  s.make_project("shop");
  s.cluster("shop", "far", Site::kubeconfig(s.far->server()));
  s.virtual_cluster("shop", "away", testing::in_the_mesh(), "far");
  Watch watch(s);
  REQUIRE(testing::comes_true([&] { return is_ready(s, "away"); }));
  s.network->remove("far");
  s.far->cut_watches();
  s.virtual_cluster("shop", "late", Json::object(), "far");
  // Its own request fails, or its Cluster's did before.
  REQUIRE(testing::comes_true([&] {
    const std::string ready = condition(s.vc("shop", "late"));
    return ready == "False" || ready == "Unknown";
  }));
  s.far->patch("namespaces", "shop-away", "", kube::PatchType::merge,
               {{"metadata", {{"labels", {{"istio-injection", nullptr}}}}}});
  s.network->add(s.far);
  CHECK(testing::comes_true([&] {
    return s.namespace_at(s.far, "shop-away")["metadata"]["labels"].contains("istio-injection");
  }));
  CHECK(testing::comes_true([&] { return is_ready(s, "late"); }));
}

TEST_CASE("watch loop: a Secret that a node reads asks for that node, and for no other") {
  Site s;
  s.make_project("shop");
  s.cluster("shop", "far", Site::kubeconfig(s.far->server()));
  s.virtual_cluster("shop", "near");
  s.settle();
  Watch watch(s);
  REQUIRE(testing::comes_true([&] { return watch.finished > 0; }));
  s.secret("shop", "nobody", "reads this");
  s.secret("shop", "far", Site::kubeconfig(s.home->server()));
  CHECK(testing::comes_true(
      [&] { return reason(s.get("clusters", "shop", "far")) == "ClusterIdentityChanged"; }));
  watch.end();
  CHECK(watch.asked == std::set<std::string>{"far"});
}

TEST_CASE("watch loop: the first object of a project that is watched is taken up") {
  Site s;
  s.put("Project", "", "shop");
  s.settle();
  Watch watch(s, only({key("Project", "", "shop")}));
  REQUIRE(testing::comes_true([&] { return watch.finished > 0; }));
  s.put("Cluster", "shop", "home", {{"home", true}, {"istio", {{"mode", "Ignore"}}}});
  CHECK(
      testing::comes_true([&] { return condition(s.get("clusters", "shop", "home")) == "True"; }));
}

TEST_CASE("watch loop: a kubeconfig that is broken ends all watches by its former credentials") {
  Site s;
  s.make_project("shop");
  s.secret("shop", "far", Site::kubeconfig(s.far->server()));
  s.put("Cluster", "shop", "far", {{"kubeconfigSecretRef", {{"name", "far"}}}});
  Watch watch(s);
  constexpr std::size_t k_namespaces_and_istio = 4;
  REQUIRE(testing::comes_true([&] { return s.far->watches() >= k_namespaces_and_istio; }));
  s.secret("shop", "far", "broken");
  CHECK(testing::comes_true([&] { return s.far->watches() == 0; }));
}

TEST_CASE("watch loop: a Cluster that is deleted ends all watches by its credentials") {
  Site s;
  s.make_project("shop");
  s.cluster("shop", "far", Site::kubeconfig(s.far->server()));
  Watch watch(s);
  REQUIRE(testing::comes_true([&] { return s.far->watches() > 0; }));
  s.home->remove("clusters.kubist.io", "far", "shop");
  CHECK(testing::comes_true([&] { return s.far->watches() == 0; }));
}

TEST_CASE("watch loop: a project that is deleted goes, without a Root above it") {
  Site s;
  s.put("Project", "", "shop");
  s.settle();
  Watch watch(s);
  REQUIRE(testing::comes_true([&] { return watch.finished > 0; }));
  s.home->remove("projects.kubist.io", "shop");
  CHECK(testing::comes_true([&] { return s.project("shop").is_null(); }));
}

TEST_CASE("watch loop: what is made while the first run of its parent hangs is ready after it") {
  Site s;
  s.make_project("shop");
  s.settle();
  s.cluster("shop", "far", Site::kubeconfig(s.far->server()));
  Gate gate(*s.home, "PATCH *clusters/far/status*");
  Watch watch(s);
  REQUIRE(testing::comes_true([&] { return gate.reached.load(); }));
  s.virtual_cluster("shop", "away", Json::object(), "far");
  REQUIRE(testing::comes_true([&] { return reason(s.vc("shop", "away")) == "ParentNotReady"; }));
  gate.open();
  CHECK(testing::comes_true([&] { return is_ready(s, "away"); }));
}
