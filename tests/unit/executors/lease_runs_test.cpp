// What runs do with the lock of a project: beside others, with a plan, and at each write.
#include "lock_place.hpp"

using namespace site;
using namespace std::chrono_literals;

TEST_CASE("lease: a write that is held up until its lock may be gone is not sent") {
  Site s;
  s.make_project("shop");
  s.settle();
  s.virtual_cluster("shop", "a");
  s.home->before("PATCH */namespaces/shop-a*", [&] {
    s.home->fail("PUT *leases*", 500, 1000);
    s.clock.advance(11s);
  });
  s.reconcile();
  CHECK(s.namespace_at(s.home, "shop-a").is_null());
}

TEST_CASE("lease: each write of a project's goes with the lock's permit") {
  Site s;
  s.make_project("shop");
  s.settle();
  s.cluster("shop", "far", Site::kubeconfig(s.far->server()));
  s.virtual_cluster("shop", "a");
  s.virtual_cluster("shop", "b", Json::object(), "far");
  s.forget();
  s.settle();
  s.home->remove("virtualclusters.kubist.io", "b", "shop");
  s.settle();
  int writes = 0;
  for (const auto& cluster : {s.home, s.far}) {
    for (const LoggedRequest& each : cluster->writes()) {
      if (each.resource != "leases") {
        CHECK_MESSAGE(each.has_permit, each.to_string());
        ++writes;
      }
    }
  }
  CHECK(writes > 5);
}

TEST_CASE("lease: of two runs that make a new project none writes over the other's status") {
  Site s;
  s.put("Project", "", "shop");
  // Another replica makes it, too, and is done while this run's namespace is on its way.
  s.home->before("PATCH */namespaces/shop?*", [&] {
    const Json ready{{"type", "Ready"},
                     {"status", "True"},
                     {"reason", "Theirs"},
                     {"message", ""},
                     {"lastTransitionTime", "2026-01-01T00:00:00Z"}};
    s.home->patch("projects.kubist.io", "shop", "", kube::PatchType::merge,
                  {{"status", {{"conditions", Json::array({ready})}}}}, "status");
  });
  s.forget();
  CHECK(s.reconcile().summary.failed == 0);
  std::vector<int> answers;
  for (const LoggedRequest& each : s.home->log()) {
    if (each.resource == "projects" && each.subresource == "status") {
      answers.push_back(each.status);
    }
  }
  // What is made; that it is Ready, which has not seen theirs; both once that is known.
  std::string all;
  for (const int answer : answers) {
    all += cat(answer, " ");
  }
  CHECK(all == "200 409 200 200 ");
}

TEST_CASE("lease: a run beside another writes nothing in its project, and does the others") {
  Site s;
  s.make_project("shop");
  s.make_project("blog");
  s.settle();
  s.virtual_cluster("shop", "a");
  s.virtual_cluster("blog", "a");
  s.home->patch("leases", "kubist", "shop", kube::PatchType::merge,
                {{"spec", {{"holderIdentity", "somebody@else"}}}});
  s.forget();
  const auto report = s.reconcile();
  CHECK(s.namespace_at(s.home, "shop-a").is_null());
  CHECK(condition(s.vc("blog", "a")) == "True");
  CHECK(report.summary.failed > 0);
  for (const LoggedRequest& each : s.home->writes()) {
    CHECK_MESSAGE(each.ns != "shop", each.to_string());
  }
}

TEST_CASE("lease: neither a dry run nor a run without news takes one") {
  Site s;
  s.make_project("shop");
  s.settle();
  const Json before = s.home->get("leases", "kubist", "shop");
  s.reconcile();
  CHECK(s.home->get("leases", "kubist", "shop") == before);
  s.virtual_cluster("shop", "a");
  executors::ReconcileOptions options;
  options.dry_run = kube::DryRun::server;
  s.reconcile(options);
  CHECK(s.home->get("leases", "kubist", "shop") == before);
}

TEST_CASE(
    "lease: runs of one process share it, each with its own plan, and the last one frees it") {
  LockPlace p;
  executors::HeldLeases held;
  auto options = p.options();
  options.held = &held;
  int checks = 0;
  options.recheck = [&](const std::string&) {
    ++checks;
    return util::Result<>{};
  };
  executors::ProjectLocks first(p.client, options);
  options.run_id = "run-2";
  executors::ProjectLocks second(p.client, options);
  CHECK(first.before_write("shop", {}));
  CHECK(second.before_write("shop", {}));
  CHECK(second.before_write("shop", {}));
  CHECK(checks == 2);
  first.release();
  CHECK(p.holder() == "me@test");
  CHECK(second.permit("shop")());
  CHECK(second.before_write("shop", {}));
  CHECK(checks == 2);
  second.release();
  CHECK(p.holder().empty());
}

TEST_CASE("lease: a run whose plan no longer holds does not take it from another") {
  LockPlace p;
  executors::HeldLeases held;
  auto options = p.options();
  options.held = &held;
  executors::ProjectLocks first(p.client, options);
  options.recheck = [](const std::string&) {
    return util::Result<>(util::fail(util::ErrorKind::conflict, "something changed"));
  };
  executors::ProjectLocks second(p.client, options);
  CHECK(first.before_write("shop", {}));
  CHECK_FALSE(second.before_write("shop", {}));
  second.release();
  CHECK(p.holder() == "me@test");
  CHECK(first.before_write("shop", {}));
}

TEST_CASE("lease: a plan is not checked again while nobody else has had it") {
  LockPlace p;
  executors::HeldLeases held;
  int checks = 0;
  const auto write_once = [&] {
    p.clock.advance(1s);
    auto options = p.options();
    options.held = &held;
    options.planned_at = p.clock.boot();
    options.recheck = [&](const std::string&) {
      ++checks;
      return util::Result<>{};
    };
    p.clock.advance(1s);
    executors::ProjectLocks locks(p.client, options);
    CHECK(locks.before_write("shop", {}));
  };
  write_once();
  CHECK(checks == 1);
  write_once();
  write_once();
  CHECK(checks == 1);
  {
    auto other = p.options();
    other.identity = "somebody@else";
    executors::ProjectLocks locks(p.client, other);
    CHECK(locks.before_write("shop", {}));
  }
  write_once();
  CHECK(checks == 2);
}
