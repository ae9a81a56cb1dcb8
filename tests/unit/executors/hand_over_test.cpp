// A run by hand beside a controller.
#include <algorithm>

#include "controller.hpp"

using namespace site;
using executors::Beside;

namespace {

/// A project that a replica has, or once had, with a virtual cluster that is Ready.
struct Place : Site {
  Place() {
    home->put(plain("Namespace", "", "kubist-system"));
    make_project("shop");
    virtual_cluster("shop", "dev");
    settle();
    client = home->connect(network, "hand");
  }
  /// What it does not notice by itself.
  void spoil() {
    home->patch("virtualclusters.kubist.io", "dev", "shop", kube::PatchType::merge,
                {{"status", {{"conditions", nullptr}, {"lastRun", nullptr}}}}, "status");
  }
  util::Result<executors::Run> run_beside(Beside beside, std::vector<engine::Key> selection = {}) {
    auto options = session_options();
    options.identity = "hand@test";
    options.sleep = [this](auto, const auto& stop) {
      if (passes) {
        clock.advance(std::chrono::milliseconds(250));
      }
      return util::sleep_for(std::chrono::milliseconds(2), stop);
    };
    const auto own = executors::Session::open(client, options, {}).value();
    executors::ReconcileOptions how;
    how.selection = std::move(selection);
    how.beside = beside;
    how.lock_timeout = std::chrono::minutes(1);
    engine::Observer observer;
    return own->run(how, observer, {});
  }
  std::vector<std::string> written_by(const std::string& agent) {
    std::vector<std::string> all;
    for (const LoggedRequest& each : home->writes()) {
      if (each.user_agent == agent && each.resource != "leases") {
        all.push_back(each.to_string());
      }
    }
    return all;
  }
  std::string holder() {
    return std::string(
        data::string_at(home->get("leases", "kubist", "shop"), {"spec", "holderIdentity"}));
  }
  /// As a replica leaves it that was killed.
  void dead_replica() {
    const Json replica{{"apiVersion", "coordination.k8s.io/v1"},
                       {"kind", "Lease"},
                       {"metadata",
                        {{"name", "kubist-dead"},
                         {"namespace", "kubist-system"},
                         {"labels", {{"kubist.io/replica", "true"}}}}},
                       {"spec",
                        {{"holderIdentity", "dead@test"},
                         {"leaseDurationSeconds", 15},
                         {"renewTime", "2026-01-01T00:00:00.000000Z"}}}};
    home->put(replica);
    home->patch(
        "leases", "kubist", "shop", kube::PatchType::merge,
        {{"metadata", {{"annotations", {{"kubist.io/replica", "kubist-system/kubist-dead"}}}}},
         {"spec", {{"holderIdentity", "dead@test"}}}});
  }

  std::shared_ptr<kube::Client> client;
  std::atomic<bool> passes = false;  ///< time, while it sleeps
};

const std::vector<std::string> k_asked{"patch virtualclusters shop/dev"};

}  // namespace

TEST_CASE("hand over: the replica does what a run by hand wants, and its report says so") {
  Place s;
  Controller one(s, "one@test");
  REQUIRE(comes_true([&] { return one.projects == 1; }));
  const engine::Key dev = key("VirtualCluster", "shop", "dev");
  REQUIRE(s.run_beside(Beside::hand_over, {dev}));
  s.forget();

  s.spoil();
  const auto run = s.run_beside(Beside::hand_over, {dev});
  REQUIRE_MESSAGE(run, (run ? "" : run.error().to_string()));
  CHECK_FALSE(run->report.stopped);
  CHECK(run->report.summary.ready == 1);
  CHECK(run->report.summary.failed == 0);
  CHECK(s.written_by("hand") == k_asked);
  CHECK(condition(s.vc("shop", "dev")) == "True");
  const Json status = s.vc("shop", "dev")["status"];
  CHECK(status["handledRequest"]["request"] == cat("reconcile@", run->report.run.id));
  CHECK(s.holder() == "one@test");

  // Where there is nothing to write, nobody is asked.
  s.forget();
  REQUIRE(s.run_beside(Beside::hand_over));
  CHECK(s.written_by("hand").empty());
}

TEST_CASE(
    "hand over: the whole tree is asked for by its projects, and answered with what is below") {
  Place s;
  Controller one(s, "one@test");
  REQUIRE(comes_true([&] { return one.projects == 1; }));
  REQUIRE(s.run_beside(Beside::hand_over));
  s.forget();
  s.spoil();
  const auto run = s.run_beside(Beside::hand_over);
  REQUIRE_MESSAGE(run, (run ? "" : run.error().to_string()));
  CHECK(run->report.summary.ready == 3);
  CHECK(s.written_by("hand") == std::vector<std::string>{"patch projects shop"});
  CHECK(condition(s.vc("shop", "dev")) == "True");
}

TEST_CASE("hand over: what the replica comes to is what the run by hand tells") {
  Place s;
  Controller one(s, "one@test");
  REQUIRE(comes_true([&] { return one.projects == 1; }));
  s.put("VirtualCluster", "shop", "bad",
        {{"clusterRef", {{"name", "home"}}}, {"namespace", "kube-system"}});
  const auto run = s.run_beside(Beside::hand_over, {key("VirtualCluster", "shop", "bad")});
  REQUIRE(run);
  const auto& node = node_of(run->report, "VirtualCluster", "bad");
  CHECK(node.state == engine::NodeState::failed);
  CHECK(node.outcome == engine::Outcome::stalled);
  CHECK(node.reason == reason(s.get("virtualclusters", "shop", "bad")));
  CHECK_FALSE(node.message.empty());
}

TEST_CASE("hand over: a request that waits for its answer is not written over") {
  Place s;
  Controller one(s, "one@test");
  REQUIRE(comes_true([&] { return one.projects == 1; }));
  REQUIRE(s.run_beside(Beside::hand_over));
  s.spoil();
  s.forget();
  s.home->before("PATCH *projects/shop*", [&] {
    s.home->patch("projects.kubist.io", "shop", "", kube::PatchType::merge,
                  {{"metadata", {{"annotations", {{"kubist.io/request", "reconcile@theirs"}}}}}});
  });
  REQUIRE(s.run_beside(Beside::hand_over));
  CHECK(data::string_at(s.project("shop"), {"metadata", "annotations", "kubist.io/request"}) ==
        "reconcile@theirs");
  CHECK(s.written_by("hand").empty());
}

TEST_CASE("hand over: an object that changes before each request is asked for some times only") {
  Place s;
  Controller one(s, "one@test");
  REQUIRE(comes_true([&] { return one.projects == 1; }));
  s.spoil();
  int changes = 0;
  s.home->before(
      "PATCH *virtualclusters/dev?f*",
      [&] {
        s.home->patch("virtualclusters.kubist.io", "dev", "shop", kube::PatchType::merge,
                      {{"metadata", {{"annotations", {{"change", std::to_string(++changes)}}}}}});
      },
      60);
  const auto run = s.run_beside(Beside::hand_over, {key("VirtualCluster", "shop", "dev")});
  REQUIRE(run);
  const auto& node = node_of(run->report, "VirtualCluster", "dev");
  CHECK_MESSAGE(
      node.message.find("changed before the request was written, 20 times") != std::string::npos,
      node.message);
}

TEST_CASE("hand over: an item that is gone and back is run anew some times only") {
  Place s;
  s.dead_replica();  // which nobody knows, since no time passes
  Json item = object("DeployItem", "shop", "x", {{"type", "kubist.io/mock"}});
  item["apiVersion"] = "landscaper.gardener.cloud/v1alpha1";
  s.home->put(item);
  executors::ReconcileOptions how;
  how.force = true;
  how.beside = Beside::hand_over;
  auto options = s.session_options();
  int pauses = 0;
  options.sleep = [&](auto, const auto&) { return ++pauses < 60; };
  const auto session = executors::Session::open(s.client, options, {}).value();
  // The third read of each try is that before the request.
  int reads = 0;
  s.home->before(
      "GET *deployitems/x*",
      [&] {
        if (++reads % 3 == 0) {
          s.home->remove("deployitems.landscaper.gardener.cloud", "x", "shop");
        } else {
          s.home->put(item);
        }
      },
      300);
  const auto done = session->run_items({{"landscaper.gardener.cloud", "DeployItem", "shop", "x"}},
                                       how, [](const auto&) {}, {});
  REQUIRE(done);
  REQUIRE_FALSE(done->front().outcome);
  const util::Error& error = done->front().outcome.error();
  CHECK_MESSAGE(error.message.find("is gone), 20 times") != std::string::npos, error.message);
  CHECK(reads == 60);
  CHECK(pauses == 19);
}

TEST_CASE("hand over: of a replica that is dead the project is taken, and the work done") {
  Place s;
  s.dead_replica();
  s.spoil();
  s.passes = true;
  const auto run = s.run_beside(Beside::hand_over);
  REQUIRE_MESSAGE(run, (run ? "" : run.error().to_string()));
  CHECK(run->report.summary.ready == 3);
  CHECK(condition(s.vc("shop", "dev")) == "True");
  CHECK(s.holder().empty());
}

TEST_CASE("hand over: a dry run asks nobody") {
  Place s;
  Controller one(s, "one@test");
  REQUIRE(comes_true([&] { return one.projects == 1; }));
  s.spoil();
  s.forget();
  executors::ReconcileOptions options;
  options.dry_run = kube::DryRun::server;
  options.beside = Beside::hand_over;
  CHECK(s.reconcile(options).summary.ready == 3);
  CHECK(s.written_by("kubist").empty());
}

TEST_CASE("take over: the replica lets go, the run by hand writes, and the replica has it again") {
  Place s;
  Controller one(s, "one@test");
  REQUIRE(comes_true([&] { return one.projects == 1; }));
  REQUIRE(s.run_beside(Beside::hand_over));
  s.spoil();
  s.forget();
  const auto run = s.run_beside(Beside::take_over, {key("VirtualCluster", "shop", "dev")});
  REQUIRE_MESSAGE(run, (run ? "" : run.error().to_string()));
  CHECK(run->report.summary.ready == 1);
  CHECK_FALSE(s.written_by("hand").empty());
  CHECK(comes_true([&] { return s.holder() == "one@test"; }));
  CHECK(comes_true([&] { return one.projects == 1; }));
  s.virtual_cluster("shop", "late");
  CHECK(comes_true([&] { return condition(s.vc("shop", "late")) == "True"; }));
}

TEST_CASE("take over: who asks for a project and does not take it leaves it to the replica") {
  Place s;
  Controller one(s, "one@test");
  REQUIRE(comes_true([&] { return one.projects == 1; }));
  s.home->patch("leases", "kubist", "shop", kube::PatchType::merge,
                {{"metadata", {{"annotations", {{"kubist.io/take-over", "nobody@test"}}}}}});
  CHECK(comes_true([&] { return s.holder().empty(); }));
  CHECK(comes_true([&] { return s.holder() == "one@test"; }));
}
