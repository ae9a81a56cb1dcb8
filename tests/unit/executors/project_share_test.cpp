// Replicas that share the projects.
#include "session/project_share.hpp"

#include "controller.hpp"

using namespace site;

namespace {

const std::vector<std::string> k_projects{"p0", "p1", "p2", "p3", "p4", "p5"};
const std::set<std::string> k_both{"one@test", "two@test"};

struct Shared : Site {
  Shared() {
    home->put(plain("Namespace", "", "kubist-system"));
    for (const std::string& name : k_projects) {
      put("Project", "", name);
    }
    REQUIRE(reconcile().summary.failed == 0);  // makes their namespaces
    for (const std::string& name : k_projects) {
      put("Cluster", name, "home", {{"home", true}, {"istio", {{"mode", "Ignore"}}}});
      virtual_cluster(name, "dev");
    }
  }
  std::string holder(const std::string& project) {
    const Json lease = home->get("leases", "kubist", project);
    return lease.is_null() ? "" : std::string(data::string_at(lease, {"spec", "holderIdentity"}));
  }
  bool all_fall_to(const std::set<std::string>& replicas) {
    return std::all_of(k_projects.begin(), k_projects.end(), [&](const std::string& name) {
      return holder(name) == executors::replica_of(replicas, name);
    });
  }
  bool all_ready(const std::string& name = "dev") {
    return std::all_of(k_projects.begin(), k_projects.end(), [&](const std::string& project) {
      return condition(vc(project, name)) == "True";
    });
  }
};

}  // namespace

TEST_CASE("project share: each replica has its part, and one that leaves moves only that") {
  const std::set<std::string> three{"a", "b", "c"};
  const std::set<std::string> two{"a", "b"};
  std::map<std::string, int> parts;
  for (int i = 0; i < 300; ++i) {
    const std::string name = cat("project-", i);
    const std::string has = executors::replica_of(three, name);
    ++parts[has];
    CHECK((has == "c" || executors::replica_of(two, name) == has));
  }
  for (const auto& [replica, count] : parts) {
    CHECK_MESSAGE((count > 60 && count < 140), replica, " has ", count);
  }
  CHECK(parts.size() == 3);
  CHECK(executors::replica_of({}, "p").empty());
}

TEST_CASE("project share: replicas spread the projects, and what one leaves the other takes") {
  Shared s;
  Controller one(s, "one@test");
  REQUIRE(comes_true([&] { return s.all_ready() && s.all_fall_to({"one@test"}); }));
  {
    Controller two(s, "two@test");
    CHECK(comes_true([&] { return s.all_fall_to(k_both); }));
    s.forget();
    for (const std::string& name : k_projects) {
      s.virtual_cluster(name, "late");
    }
    CHECK(comes_true([&] { return s.all_ready("late"); }));
    CHECK(comes_true([&] { return one.projects + two.projects == k_projects.size(); }));
    CHECK(one.projects > 0);
    CHECK(two.projects > 0);
    for (const LoggedRequest& each : s.home->writes()) {
      const bool of_project =
          std::find(k_projects.begin(), k_projects.end(), each.ns) != k_projects.end();
      CHECK_MESSAGE((!of_project || each.user_agent == executors::replica_of(k_both, each.ns)),
                    each.user_agent, ' ', each.to_string());
    }
    two.end();
    CHECK(two.ended);
  }
  CHECK(comes_true([&] { return s.all_fall_to({"one@test"}); }));
  CHECK(comes_true([&] { return one.projects == k_projects.size(); }));
  one.end();
  CHECK(one.ended);
  // A run beside them goes on where they ended: only what clusters count is behind.
  s.forget();
  s.settle();
  for (const std::string& write : s.written()) {
    CHECK_MESSAGE((write.starts_with("patch clusters ") && write.ends_with("/home status")), write);
  }
}

TEST_CASE("project share: a project that a run holds is left to it until it is free") {
  Shared s;
  s.settle();
  s.home->patch("leases", "kubist", "p0", kube::PatchType::merge,
                {{"spec", {{"holderIdentity", "somebody@else"}}}});
  s.forget();
  Controller one(s, "one@test");
  REQUIRE(comes_true([&] { return one.projects == k_projects.size() - 1; }));
  s.virtual_cluster("p0", "late");
  s.virtual_cluster("p1", "late");
  CHECK(comes_true([&] { return condition(s.vc("p1", "late")) == "True"; }));
  CHECK(s.namespace_at(s.home, "p0-late").is_null());
  s.home->patch("leases", "kubist", "p0", kube::PatchType::merge,
                {{"spec", {{"holderIdentity", ""}}}});
  CHECK(comes_true([&] { return condition(s.vc("p0", "late")) == "True"; }));
}

TEST_CASE("project share: a new project is taken, one that is gone is let go and forgotten") {
  Shared s;
  Controller one(s, "one@test");
  REQUIRE(comes_true([&] { return one.projects == k_projects.size(); }));
  for (const int times : {1, 2}) {
    s.put("Project", "", "new");
    CHECK(comes_true([&] { return condition(s.project("new")) == "True"; }));
    CHECK(comes_true([&] { return one.projects == k_projects.size() + 1; }));
    const std::string told = one.told();
    const auto lines = util::split(told, '\n');
    CHECK_MESSAGE(std::ranges::count(lines, "project namespace new: took it") == times, told);
    s.home->remove("projects.kubist.io", "new");
    CHECK_MESSAGE(comes_true([&] { return s.project("new").is_null(); }), s.project("new").dump());
    CHECK(comes_true([&] { return one.projects == k_projects.size(); }));
  }
}

TEST_CASE("project share: a project that a run left locked is taken when that is stale") {
  Shared s;
  s.settle();
  s.home->patch("leases", "kubist", "p0", kube::PatchType::merge,
                {{"spec", {{"holderIdentity", "killed@else"}, {"leaseDurationSeconds", 2}}}});
  Controller one(s, "one@test");
  REQUIRE(comes_true([&] { return one.projects == k_projects.size() - 1; }));
  CHECK(comes_true([&] {
    s.clock.advance(std::chrono::milliseconds(20));
    return s.holder("p0") == "one@test";
  }));
}

TEST_CASE("project share: what others have is asked for less and less often") {
  Shared s;
  s.settle();
  s.home->patch("leases", "kubist", "p0", kube::PatchType::merge,
                {{"spec", {{"holderIdentity", "somebody@else"}}}});
  Controller one(s, "one@test");
  REQUIRE(comes_true([&] { return one.projects == k_projects.size() - 1; }));
  s.forget();
  const auto count = [&](const std::string& request) {
    const auto log = s.home->log();
    return std::count_if(log.begin(), log.end(), [&](const LoggedRequest& each) {
      return each.to_string().starts_with(request);
    });
  };
  // It looks for other replicas once a second.
  REQUIRE(comes_true([&] { return count("list leases kubist-system") >= 6; }));
  CHECK(count("get leases p0/kubist") <= 3);
}

TEST_CASE("project share: while no watch tells of Leases they are read, or lost") {
  Shared s;
  s.settle();
  engine::LockTimes times;
  times.deadline = std::chrono::milliseconds(600);
  Controller one(s, "one@test", times);
  REQUIRE(comes_true([&] { return one.projects == k_projects.size(); }));
  s.home->fail("GET /apis/coordination.k8s.io/v1/leases*", 403, 100000);
  s.home->cut_watches();
  s.home->fail("GET *p0/leases/kubist*", 403, 100000);
  s.home->patch("leases", "kubist", "p1", kube::PatchType::merge,
                {{"metadata", {{"annotations", {{"kubist.io/replica", nullptr}}}}},
                 {"spec", {{"holderIdentity", "somebody@else"}}}});
  CHECK(comes_true([&] { return one.projects == k_projects.size() - 2; }));
}

TEST_CASE("project share: a Lease that a member nests too deep takes no other's from the watch") {
  Shared s;
  s.settle();
  Json deep = "x";
  for (int i = 0; i < 600; ++i) {
    deep = {{"f:a", deep}};
  }
  Json lease = s.home->get("leases", "kubist", "p0");
  lease["metadata"]["managedFields"] = {{{"manager", "theirs"}, {"fieldsV1", deep}}};
  lease["spec"]["holderIdentity"] = "somebody@else";
  s.home->plant(lease);
  Controller one(s, "one@test");
  REQUIRE(comes_true([&] { return one.projects == k_projects.size() - 1; }));
  s.home->patch(
      "leases", "kubist", "p1", kube::PatchType::merge,
      {{"metadata", {{"annotations", {{"kubist.io/take-over", std::string(300, 'w')}}}}}});
  const std::string gave = cat("p1: gave it to ", std::string(253, 'w'), ", which asked for it");
  CHECK(comes_true([&] { return one.told().find(gave) != std::string::npos; }));
}

TEST_CASE("project share: what is thrown for one project is told, and takes no other's turn") {
  Shared s;
  s.settle();
  // The first by name: the others come behind it in each turn.
  s.home->before(
      "* *namespaces/p0/leases*", [] { throw std::bad_alloc(); }, 100000);
  Controller one(s, "one@test");
  CHECK(comes_true([&] { return one.projects == k_projects.size() - 1; }));
  for (const std::string& name : k_projects) {
    s.virtual_cluster(name, "late");
  }
  const auto is_late = [&](const std::string& project) {
    return condition(s.vc(project, "late")) == "True";
  };
  CHECK(comes_true([&] { return std::all_of(k_projects.begin() + 1, k_projects.end(), is_late); }));
  CHECK_FALSE(is_late("p0"));
  CHECK(comes_true([&] {
    return one.told().find("project namespace p0: unexpected: std::bad_alloc") != std::string::npos;
  }));
}
