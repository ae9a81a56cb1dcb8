// --watch by a caller who may not list, or watch, in the whole cluster.
#include "watch_site.hpp"

using namespace site;

namespace {

/// Projects shop and blog, and one more.
struct Limited : Site {
  Limited() {
    for (const char* name : {"shop", "blog", "other"}) {
      make_project(name);
      virtual_cluster(name, "near", testing::in_the_mesh());
    }
    settle();
    forget();
  }
  /// No object of kubist's kinds can be listed in all namespaces at once.
  void forbid_kinds() {
    for (const resources::Kind& kind : resources::kinds()) {
      if (kind.namespaced) {
        home->fail(cat("GET /apis/", kind.group, "/v1alpha1/", kind.plural, "?*"), 403, 1000);
      }
    }
  }
  /// How often what is forbidden in all namespaces was asked for, by kind.
  std::map<std::string, int> refused() const {
    std::map<std::string, int> counts;
    for (const LoggedRequest& each : home->log()) {
      counts[each.resource] += each.status == 403 ? 1 : 0;
    }
    std::erase_if(counts, [](const auto& each) { return each.second == 0; });
    return counts;
  }
};

executors::ReconcileOptions two_projects() {
  return only({key("Project", "", "shop"), key("Project", "", "blog")});
}

}  // namespace

TEST_CASE("watch limits: of two projects their own namespaces are watched where all may not be") {
  Limited s;
  s.forbid_kinds();
  Watch watch(s, two_projects());
  REQUIRE(testing::comes_true([&] { return watch.finished > 0; }));
  for (const char* name : {"one", "two"}) {
    for (const char* project : {"shop", "blog"}) {
      s.virtual_cluster(project, name);
      CHECK_MESSAGE(testing::comes_true([&] { return is_ready(s, name, project); }), project);
    }
  }
  s.virtual_cluster("other", "late");
  watch.end();
  CHECK(watch.ended);
  CHECK_MESSAGE(watch.troubles.empty(), util::join(watch.troubles, "\n"));
  CHECK(watch.away == 0);
  CHECK(condition(s.vc("other", "late")).empty());
  const auto refused = s.refused();
  CHECK(refused.size() > 5);
  for (const auto& [kind, times] : refused) {
    CHECK_MESSAGE(times == 1, kind);
  }
  for (const LoggedRequest& each : s.home->log()) {
    CHECK_MESSAGE(each.target.find("namespaces/other/") == std::string::npos, each.target);
  }
}

TEST_CASE("watch limits: who may list all watches all at once, also of two projects") {
  Limited s;
  Watch watch(s, two_projects());
  REQUIRE(testing::comes_true([&] { return watch.finished > 0; }));
  s.virtual_cluster("shop", "late");
  CHECK(testing::comes_true([&] { return is_ready(s, "late"); }));
  watch.end();
  std::set<std::string> watched;
  for (const LoggedRequest& each : s.home->log()) {
    if (each.verb == "watch" && each.target.find("kubist.io") != std::string::npos) {
      CHECK_MESSAGE(each.ns.empty(), each.target);
      watched.insert(each.resource);
    }
  }
  CHECK(watched.contains("virtualclusters"));
}

TEST_CASE("watch limits: who watches the whole tree without that right is told what to do") {
  Limited s;
  s.forbid_kinds();
  Watch watch(s);
  CHECK(testing::comes_true([&] { return watch.away > 0; }));
  watch.end();
  CHECK_MESSAGE(watch.line.find("Name the projects (project/NAME)") != std::string::npos,
                watch.line);
}

namespace {

/// shop-near has a Service that a Destination keeps. Neither Services nor namespaces may be listed
/// in the whole cluster.
struct Keeping : Limited {
  Keeping() {
    put("Destination", "shop", "web",
        {{"virtualClusterRef", {{"name", "near"}}}, {"ports", {{{"port", 80}}}}});
    settle();
    forget();
    home->fail(
        "GET /api/v1/namespaces?labelSelector=app.kubernetes.io%2Fmanaged-by%3Dkubist&limit=*", 403,
        1000);
    home->fail("GET /api/v1/services?*", 403, 1000);
  }
  bool has_service() const { return !home->get("services", "web", "shop-near").is_null(); }
  bool is_injected() const {
    return namespace_at(home, "shop-near")["metadata"]["labels"].value("istio-injection", "") ==
           "enabled";
  }
  /// Somebody takes away what kubist keeps: three times, as the first runs may see it themselves.
  void check_mended() {
    for (int times = 0; times < 3; ++times) {
      home->patch("namespaces", "shop-near", "", kube::PatchType::merge,
                  {{"metadata", {{"labels", {{"istio-injection", nullptr}}}}}});
      home->remove("services", "web", "shop-near");
      CHECK(testing::comes_true([&] { return is_injected() && has_service(); }));
    }
  }
  std::vector<LoggedRequest> watches_of(const std::string& resource) const {
    std::vector<LoggedRequest> all = home->log();
    std::erase_if(all, [&](const LoggedRequest& each) {
      return each.verb != "watch" || each.resource != resource || each.status == 403;
    });
    return all;
  }
};

}  // namespace

TEST_CASE("watch limits: drift is seen in the project's namespaces where all may not be watched") {
  Keeping s;
  Watch watch(s, only({key("Project", "", "shop")}));
  REQUIRE(testing::comes_true([&] { return watch.finished > 0; }));
  s.check_mended();
  watch.end();
  CHECK(watch.away == 0);
  CHECK(s.refused() == std::map<std::string, int>{{"namespaces", 1}, {"services", 1}});
  for (const LoggedRequest& each : s.watches_of("namespaces")) {
    CHECK_MESSAGE(each.target.find("fieldSelector=metadata.name%3Dshop") != std::string::npos,
                  each.target);
    CHECK(each.as.empty());
  }
  const auto services = s.watches_of("services");
  REQUIRE(!services.empty());
  for (const LoggedRequest& each : services) {
    CHECK_MESSAGE(each.ns == "shop-near", each.target);
    CHECK(each.as == "system:serviceaccount:shop:kubist-project");
  }
}

TEST_CASE("watch limits: drift is seen, too, with the caller's own rights") {
  Keeping s;
  s.home->deny("impersonate");
  Watch watch(s, only({key("Project", "", "shop")}));
  REQUIRE(testing::comes_true([&] { return watch.finished > 0; }));
  s.check_mended();
  watch.end();
  for (const LoggedRequest& each : s.home->log()) {
    CHECK(each.as.empty());
  }
}
