// What the controller's probes say, by its Lease and what it has seen.
#include "controller/health.hpp"

#include <doctest/doctest.h>

#include <kubist/util/text.hpp>

#include "support/fake_clock.hpp"
#include "support/fake_cluster.hpp"
#include "support/objects.hpp"

using namespace kubist;
using namespace std::chrono_literals;

namespace {

/// A replica that renews its Lease only when it is told to.
struct Probed {
  Probed() {
    home->put(testing::plain("Namespace", "", "kubist-system"));
    REQUIRE(replica.start({}));
  }
  executors::Replica::Options options() {
    executors::Replica::Options made;
    made.ns = "kubist-system";
    made.identity = "one@test";
    made.clock = &clock;
    made.times.retry = 1h;
    return made;
  }
  std::string live() const { return util::cat(health.live().status, ' ', health.live().body); }
  std::string ready() const { return util::cat(health.ready().status, ' ', health.ready().body); }

  testing::FakeClock clock;
  std::shared_ptr<testing::FakeCluster> home = std::make_shared<testing::FakeCluster>();
  executors::Replica replica{home->connect(), options()};
  std::stop_source stop;
  cli::Health health{replica, stop.get_token(), clock};
};

}  // namespace

TEST_CASE("health: a replica is ready from its first plan until it is to end") {
  Probed p;
  CHECK(p.ready() == "503 it has not seen the tree yet\n");
  p.health.turned(true);
  CHECK(p.ready() == "200 ok\n");
  p.stop.request_stop();
  CHECK(p.ready() == "503 it is about to end\n");
  CHECK(p.live() == "200 ok\n");
}

TEST_CASE(
    "health: without a valid Lease a replica is not ready, and after a minute without a try not "
    "alive") {
  Probed p;
  p.health.turned(true);
  p.clock.advance(9999ms);
  CHECK(p.ready() == "200 ok\n");
  p.clock.advance(1ms);
  CHECK(p.ready() == "503 the Lease of this replica is not valid\n");
  p.clock.advance(49999ms);
  CHECK(p.live() == "200 ok\n");
  p.clock.advance(1ms);
  CHECK(p.live() == "500 the Lease of this replica has not been renewed for 1m\n");
  REQUIRE(p.replica.renew());
  CHECK(p.live() == "200 ok\n");
  CHECK(p.ready() == "200 ok\n");
}

TEST_CASE(
    "health: a replica whose Lease is gone, and cannot be made again, is alive and not ready") {
  Probed p;
  p.health.turned(true);
  p.home->remove("namespaces", "kubist-system");
  for (int tries = 0; tries < 10; ++tries) {
    p.clock.advance(10s);
    static_cast<void>(p.replica.renew());
  }
  CHECK(p.ready() == "503 the Lease of this replica is not valid\n");
  CHECK(p.live() == "200 ok\n");
}

TEST_CASE("health: a replica that renews its Lease while its loop hangs is not alive") {
  Probed p;
  const auto renew_for = [&](std::chrono::minutes time) {
    for (std::chrono::seconds past{0}; past < time; past += 10s) {
      p.clock.advance(10s);
      REQUIRE(p.replica.renew());
    }
  };
  renew_for(4min);
  p.health.turned(false);
  renew_for(4min);
  CHECK(p.live() == "200 ok\n");
  renew_for(1min);
  CHECK(p.live() == "500 the loop of this replica has not turned for 5m\n");
  p.health.turned(true);
  CHECK(p.live() == "200 ok\n");
}
