// What runs plan is looked at again under the locks of its projects.
#include <algorithm>
#include <atomic>
#include <thread>

#include "release_site.hpp"

using namespace site;

TEST_CASE("rechecks: projects that are locked at the same time share a list") {
  constexpr int k_projects = 8;
  Site s;
  for (int i = 0; i < k_projects; ++i) {
    s.put("Project", "", cat("p", i));
  }
  s.settle();
  for (int i = 0; i < k_projects; ++i) {
    s.put("Cluster", cat("p", i), "home", {{"home", true}, {"istio", {{"mode", "Ignore"}}}});
    s.virtual_cluster(cat("p", i), "dev");
  }
  s.forget();
  // The first list waits until all projects are locked.
  s.home->before("GET *namespaces/*/executions*", [&] {
    const auto locked = [&] {
      std::set<std::string> namespaces;
      for (const LoggedRequest& each : s.home->writes()) {
        if (each.resource == "leases") {
          namespaces.insert(each.ns);
        }
      }
      return namespaces.size();
    };
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (locked() < k_projects && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    CHECK(locked() == k_projects);
  });
  CHECK(s.reconcile({.parallelism = 16}).summary.failed == 0);
  int lists = 0;
  for (const LoggedRequest& each : s.home->log()) {
    lists += each.verb == "list" && each.resource == "executions" ? 1 : 0;
  }
  // The plan's, the first project's, one of all the others, and of who was just too late for it.
  CHECK(lists >= 3);
  CHECK(lists <= 5);
}

TEST_CASE("rechecks: who may not list all projects' objects lists each project's") {
  Site s;
  for (const std::string name : {"shop", "blog"}) {
    s.make_project(name);
    s.virtual_cluster(name, "dev");
  }
  s.home->fail("GET /apis/kubist.io/v1alpha1/executions*", 403, 100);
  CHECK(s.reconcile().summary.failed == 0);
  CHECK(condition(s.vc("shop", "dev"), "Ready") == "True");
  CHECK(condition(s.vc("blog", "dev"), "Ready") == "True");
}
