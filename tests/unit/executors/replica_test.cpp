// Projects' locks in the name of a replica, which renews one Lease.
#include <unistd.h>

#include <kubist/executors/lease.hpp>
#include <kubist/executors/replica.hpp>
#include <kubist/util/process_mark.hpp>

#include "site.hpp"

using namespace site;
using namespace std::chrono_literals;

namespace {

struct Replicas {
  Replicas() {
    home->put(plain("Namespace", "", "shop"));
    home->put(plain("Namespace", "", "kubist-system"));
  }
  std::unique_ptr<executors::Replica> replica(const std::string& identity) {
    executors::Replica::Options options;
    options.ns = "kubist-system";
    options.identity = identity;
    options.tell = [this](const std::string& line) { said.push_back(line); };
    options.clock = &clock;
    return std::make_unique<executors::Replica>(client, options);
  }
  executors::ProjectLocks::Options options(const std::string& identity,
                                           std::chrono::nanoseconds timeout = 0s) {
    executors::ProjectLocks::Options made;
    made.identity = identity;
    made.run_id = "run-1";
    made.timeout = timeout;
    made.clock = &clock;
    made.sleep = [this](auto duration, const auto& stop) {
      return clock.sleep_for(duration, stop);
    };
    return made;
  }
  executors::ProjectLocks::Options options(executors::HeldLeases& held) {
    auto made = options(held.replica()->identity());
    made.held = &held;
    return made;
  }
  Json lease() { return home->get("leases", "kubist", "shop"); }
  std::string holder() { return std::string(data::string_at(lease(), {"spec", "holderIdentity"})); }
  std::vector<std::string> lease_writes() {
    std::vector<std::string> all;
    for (const LoggedRequest& each : home->writes()) {
      all.push_back(cat(each.verb, ' ', each.ns));
    }
    return all;
  }

  testing::FakeClock clock;
  std::vector<std::string> said;
  std::shared_ptr<testing::FakeCluster> home = std::make_shared<testing::FakeCluster>();
  std::shared_ptr<kube::Client> client = home->connect();
};

/// A replica that has the project.
struct Holding : Replicas {
  Holding() {
    REQUIRE(one->renew());
    REQUIRE(locks.before_write("shop", {}));
    permit = locks.permit("shop");
  }
  std::unique_ptr<executors::Replica> one = replica("one@test");
  executors::HeldLeases held{one.get()};
  executors::ProjectLocks locks{client, options(held)};
  http::Permit permit;
};

}  // namespace

TEST_CASE("replica: a project's Lease names the replica's, which alone is renewed") {
  Holding p;
  CHECK(p.holder() == "one@test");
  CHECK(p.lease()["metadata"]["annotations"]["kubist.io/replica"] == p.one->term()->lease());
  p.home->forget_log();
  for (int i = 0; i < 5; ++i) {
    p.clock.advance(8s);
    CHECK(p.one->renew());
    CHECK(p.permit());
    CHECK(p.locks.before_write("shop", {}));
  }
  CHECK(p.lease_writes() == std::vector<std::string>(5, "update kubist-system"));
  p.locks.release("shop");
  CHECK(p.holder().empty());
  CHECK_FALSE(p.lease()["metadata"]["annotations"].contains("kubist.io/replica"));
  CHECK_FALSE(p.permit());
}

TEST_CASE("replica: while it renews its projects are nobody else's") {
  Holding p;
  auto options = p.options("two@test", 60s);
  options.sleep = [&](auto duration, const auto& stop) {
    CHECK(p.one->renew());
    return p.clock.sleep_for(duration, stop);
  };
  executors::ProjectLocks other(p.client, options);
  const auto refused = other.before_write("shop", {});
  REQUIRE(!refused);
  CHECK(refused.error().reason == "Locked");
  CHECK(refused.error().message.find("one@test") != std::string::npos);
  CHECK(p.permit());
}

TEST_CASE("replica: one that does not renew loses its Lease, and then its projects, after 15 s") {
  Holding p;
  p.home->forget_log();
  const auto begin = p.clock.monotonic();
  executors::ProjectLocks other(p.client, p.options("two@test", 20s));
  CHECK(other.before_write("shop", {}));
  CHECK(p.clock.monotonic() - begin >= 15s);
  CHECK(p.holder() == "two@test");
  CHECK(p.lease_writes() == std::vector<std::string>{"delete kubist-system", "update shop"});
}

TEST_CASE("replica: one whose process is gone is taken from after 2 s") {
  Holding p;
  const std::string lease = p.one->term()->lease();
  p.home->patch(
      "leases", lease.substr(lease.find('/') + 1), "kubist-system", kube::PatchType::merge,
      {{"metadata",
        {{"annotations", {{"kubist.io/process", util::process_mark(::getpid()) + "0"}}}}}});
  const auto begin = p.clock.monotonic();
  p.home->forget_log();
  executors::ProjectLocks other(p.client, p.options("two@test", 20s));
  CHECK(other.before_write("shop", {}));
  CHECK(p.clock.monotonic() - begin >= 2s);
  CHECK(p.clock.monotonic() - begin < 5s);
  CHECK(p.lease_writes() == std::vector<std::string>{"delete kubist-system", "update shop"});
}

TEST_CASE("replica: one that was held up writes nothing, and begins anew") {
  Holding p;
  const auto before = p.one->term();
  executors::ProjectLocks other(p.client, p.options("two@test", 20s));
  REQUIRE(other.before_write("shop", {}));
  CHECK_FALSE(p.permit());
  CHECK(p.one->renew());
  CHECK(p.one->joined());
  CHECK(p.one->term() != before);
  CHECK_FALSE(p.permit());
  const auto refused = p.locks.before_write("shop", {});
  REQUIRE(!refused);
  CHECK(refused.error().message.find("two@test") != std::string::npos);
  CHECK(p.holder() == "two@test");
  REQUIRE(p.said.size() == 1);
  CHECK(p.said[0].find("is gone") != std::string::npos);
  other.release();
  CHECK(p.locks.before_write("shop", {}));
  CHECK(p.permit());
}

TEST_CASE("replica: one that renews late writes nothing until then, and keeps what nobody took") {
  Holding p;
  p.clock.advance(12s);
  CHECK_FALSE(p.permit());
  CHECK_FALSE(p.one->joined());
  CHECK(p.one->renew());
  CHECK(p.permit());
}

TEST_CASE("replica: one that renews at the last moment is not taken from") {
  Holding p;
  p.home->before("DELETE *leases*", [&] { CHECK(p.one->renew()); });
  executors::ProjectLocks other(p.client, p.options("two@test", 16s));
  const auto refused = other.before_write("shop", {});
  REQUIRE(!refused);
  CHECK(refused.error().reason == "Locked");
  CHECK(p.permit());
  CHECK(p.holder() == "one@test");
}

TEST_CASE("replica: what it gives up is free, though a run of its own still uses it") {
  Holding p;
  executors::ProjectLocks run(p.client, p.options(p.held));
  CHECK(run.before_write("shop", {}));
  p.locks.release("shop");
  CHECK(p.holder().empty());
  executors::ProjectLocks other(p.client, p.options("two@test"));
  CHECK(other.before_write("shop", {}));
  CHECK_FALSE(run.permit("shop")());
  CHECK_FALSE(run.before_write("shop", {}));
  run.release();
  CHECK(p.holder() == "two@test");
}

TEST_CASE("replica: a change of its Lease by somebody else does no harm") {
  Holding p;
  const auto before = p.one->term();
  p.home->patch("leases", std::string(util::split(before->lease(), '/').at(1)), "kubist-system",
                kube::PatchType::merge, {{"metadata", {{"annotations", {{"a", "b"}}}}}});
  p.clock.advance(5s);
  CHECK(p.one->renew());
  CHECK(p.one->term() == before);
  CHECK(p.permit());
}

TEST_CASE("replica: what one that ends had is free at once, without a write for each") {
  Holding p;
  p.home->forget_log();
  p.one->end();
  CHECK_FALSE(p.permit());
  p.locks.release();
  CHECK(p.lease_writes() == std::vector<std::string>{"delete kubist-system"});
  executors::ProjectLocks other(p.client, p.options("two@test"));
  CHECK(other.before_write("shop", {}));
  CHECK(p.holder() == "two@test");
}

TEST_CASE("replica: a Lease that a watch shows as another's is lost, an older sight of it is not") {
  Holding p;
  const std::string version = p.lease()["metadata"]["resourceVersion"];
  CHECK_FALSE(p.locks.seen("shop", "", "1"));
  CHECK_FALSE(p.locks.seen("shop", "one@test", cat(version, "0")));
  CHECK(p.permit());
  CHECK(p.locks.seen("shop", "two@test", cat(version, "0")));
  CHECK_FALSE(p.permit());
  CHECK(p.locks.before_write("shop", {}));
  CHECK(p.permit());
}

TEST_CASE("replica: an annotation that names no replica's Lease holds nothing") {
  Holding p;
  p.home->put({{"apiVersion", "coordination.k8s.io/v1"},
               {"kind", "Lease"},
               {"metadata", {{"name", "scheduler"}, {"namespace", "kube-system"}}},
               {"spec", {{"holderIdentity", "one@test"}, {"leaseDurationSeconds", 15}}}});
  p.home->patch(
      "leases", "kubist", "shop", kube::PatchType::merge,
      {{"metadata", {{"annotations", {{"kubist.io/replica", "kube-system/scheduler"}}}}}});
  executors::ProjectLocks other(p.client, p.options("two@test"));
  CHECK(other.before_write("shop", {}));
  CHECK_FALSE(p.home->get("leases", "scheduler", "kube-system").is_null());
}

TEST_CASE("replica: it knows who else renews, and removes the Leases of those that do not") {
  Replicas p;
  const auto one = p.replica("one@test");
  const auto two = p.replica("two@test");
  using Names = std::set<std::string>;
  REQUIRE(one->renew());
  CHECK(one->look_around() == Names{"one@test"});
  REQUIRE(two->renew());
  CHECK(one->look_around() == Names{"one@test", "two@test"});
  CHECK(two->look_around() == Names{"one@test", "two@test"});
  for (int i = 0; i < 3; ++i) {
    p.clock.advance(5s);
    CHECK(one->renew());
    CHECK(one->look_around() == (i < 2 ? Names{"one@test", "two@test"} : Names{"one@test"}));
  }
  CHECK(p.home->list("leases").size() == 1);
  CHECK(two->renew());
  CHECK(one->look_around() == Names{"one@test", "two@test"});
  two->end();
  CHECK(one->look_around() == Names{"one@test"});
}

TEST_CASE("replica: without rights to its Lease it does not start, and says what it tried") {
  Replicas p;
  p.home->fail("POST *leases*", 403);
  const auto one = p.replica("one@test");
  const auto started = one->start({});
  REQUIRE(!started);
  CHECK(started.error().kind == util::ErrorKind::forbidden);
  CHECK(started.error().to_string().find("namespace kubist-system") != std::string::npos);
}

TEST_CASE("replica: it does not start in a project's namespace") {
  Replicas p;
  p.home->put(object("Project", "", "shop", {{"namespace", "kubist-system"}}));
  const auto one = p.replica("one@test");
  const auto started = one->start({});
  REQUIRE(!started);
  CHECK(started.error().kind == util::ErrorKind::usage);
  CHECK(started.error().message.find("Project/shop") != std::string::npos);
  CHECK(p.home->list("leases").empty());
}

TEST_CASE("replica: its Lease is not made anew by a renewal") {
  Holding p;
  const auto before = p.one->term();
  const std::string name = before->lease().substr(before->lease().find('/') + 1);
  p.home->remove("leases", name, "kubist-system");
  CHECK(p.one->renew());
  CHECK(p.one->term() != before);
  CHECK_FALSE(before->valid(p.clock.boot()));
  CHECK(p.home->get("leases", name, "kubist-system").is_null());
  CHECK_FALSE(p.permit());
}

TEST_CASE("replica: one whose Lease others change again and again gives up for that time") {
  Holding p;
  p.home->fail("PUT *leases*", 409, 100);
  const auto renewed = p.one->renew();
  REQUIRE(!renewed);
  CHECK(renewed.error().message.find("cannot renew the Lease kubist-system/") != std::string::npos);
  CHECK(p.permit());
}

TEST_CASE("replica: a Lease that cannot be deleted is told once, and keeps nothing else up") {
  Replicas p;
  const auto one = p.replica("one@test");
  const auto two = p.replica("two@test");
  const auto three = p.replica("three@test");
  REQUIRE(one->renew());
  REQUIRE(two->renew());
  REQUIRE(three->renew());
  using Names = std::set<std::string>;
  REQUIRE(one->look_around() == Names{"one@test", "two@test", "three@test"});
  p.clock.advance(15s);
  REQUIRE(one->renew());
  REQUIRE(three->renew());
  p.home->fail("DELETE *leases*", 403, 3);
  for (int i = 0; i < 3; ++i) {
    CHECK(one->look_around() == Names{"one@test", "three@test"});
  }
  REQUIRE(p.said.size() == 1);
  CHECK(p.said[0].find("get and delete Leases in namespace kubist-system") != std::string::npos);
  CHECK(one->look_around() == Names{"one@test", "three@test"});
  CHECK(p.home->list("leases").size() == 2);
}

TEST_CASE("replica: a Lease of its own that it does not know of is deleted") {
  Replicas p;
  const auto one = p.replica("one@test");
  REQUIRE(one->renew());
  // What a POST made whose answer was lost.
  Json lost = p.home->list("leases").at(0);
  lost["metadata"] = {{"name", "kubist-lost"},
                      {"namespace", "kubist-system"},
                      {"labels", lost["metadata"]["labels"]}};
  p.home->put(lost);
  CHECK(p.home->list("leases").size() == 2);
  CHECK(one->look_around() == std::set<std::string>{"one@test"});
  REQUIRE(p.home->list("leases").size() == 1);
  CHECK(one->renew());
  CHECK(one->joined());
}

TEST_CASE("replica: a project without a namespace is another's once that has its Lease") {
  Replicas p;
  const auto one = p.replica("one@test");
  REQUIRE(one->renew());
  executors::HeldLeases held(one.get());
  executors::ProjectLocks locks(p.client, p.options(held));
  CHECK(locks.before_write("new", {}));
  const auto permit = locks.permit("new");
  CHECK(permit());
  CHECK_FALSE(locks.seen("new", "", "100000"));
  CHECK_FALSE(locks.seen("new", "one@test", "100000"));
  CHECK(permit());
  CHECK(locks.seen("new", "two@test", "100000"));
  CHECK_FALSE(permit());
}

TEST_CASE("replica: a Lease is read where no watch tells of it") {
  Holding p;
  CHECK_FALSE(p.locks.look("shop", {}).value());
  p.home->fail("GET *leases/kubist*", 403);
  CHECK_FALSE(p.locks.look("shop", {}));
  CHECK(p.permit());
  p.home->patch("leases", "kubist", "shop", kube::PatchType::merge,
                {{"spec", {{"holderIdentity", "two@test"}}}});
  CHECK(p.locks.look("shop", {}).value());
  CHECK_FALSE(p.permit());
}

TEST_CASE("replica: who may not take from a dead one is told which right it takes") {
  Holding p;
  executors::ProjectLocks other(p.client, p.options("two@test", 20s));
  p.home->fail("DELETE *leases*", 403);
  auto refused = other.before_write("shop", {});
  REQUIRE(!refused);
  CHECK(refused.error().message.find("cannot lock project namespace shop") != std::string::npos);
  CHECK(refused.error().hint.find("get and delete Leases in namespace kubist-system") !=
        std::string::npos);
  p.home->fail("GET *kubist-system/leases/*", 403);
  refused = other.before_write("shop", {});
  REQUIRE(!refused);
  CHECK(refused.error().hint.find("namespace kubist-system") != std::string::npos);
}
