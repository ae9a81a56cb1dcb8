// One kubist at a time on a project.
#include <limits>

#include <unistd.h>

#include <kubist/util/process_mark.hpp>

#include "lock_place.hpp"

using namespace site;
using namespace std::chrono_literals;

TEST_CASE("lease: it is taken before the first write, once, and freed at the end") {
  LockPlace p;
  executors::ProjectLocks locks(p.client, p.options());
  CHECK(locks.before_write("shop", {}));
  CHECK(p.holder() == "me@test");
  CHECK(p.home->get("leases", "kubist", "shop")["metadata"]["annotations"]["kubist.io/run"] ==
        "run-1");
  p.home->forget_log();
  CHECK(locks.before_write("shop", {}));
  CHECK(p.home->log().empty());
  locks.release();
  CHECK(p.holder().empty());
  executors::ProjectLocks next(p.client, p.options());
  CHECK(next.before_write("shop", {}));
  CHECK(p.holder() == "me@test");
}

TEST_CASE("lease: one that another holds is left alone, and named") {
  LockPlace p;
  p.held_by_other();
  executors::ProjectLocks locks(p.client, p.options());
  const auto refused = locks.before_write("shop", {});
  REQUIRE(!refused);
  CHECK(refused.error().kind == util::ErrorKind::conflict);
  CHECK(refused.error().reason == "Locked");
  CHECK(refused.error().message.find("somebody@else (run run-7)") != std::string::npos);
  CHECK(p.home->writes().empty());
}

TEST_CASE("lease: one that is not renewed for 15 s is taken, no sooner") {
  LockPlace p;
  p.held_by_other();
  const auto before = p.clock.monotonic();
  executors::ProjectLocks impatient(p.client, p.options(14s));
  CHECK(!impatient.before_write("shop", {}));
  CHECK(p.clock.monotonic() - before >= 14s);
  CHECK(p.holder() == "somebody@else");
  executors::ProjectLocks patient(p.client, p.options(20s));
  const auto begin = p.clock.monotonic();
  CHECK(patient.before_write("shop", {}));
  CHECK(p.clock.monotonic() - begin >= 15s);
  CHECK(p.holder() == "me@test");
  CHECK(p.home->get("leases", "kubist", "shop")["spec"]["leaseTransitions"] == 1);
}

TEST_CASE("lease: one whose holder's process has ended is taken after 2 s, others are not") {
  LockPlace p;
  const auto marked = [&](const std::string& mark) {
    p.held_by_other();
    p.home->patch("leases", "kubist", "shop", kube::PatchType::merge,
                  {{"metadata", {{"annotations", {{"kubist.io/process", mark}}}}}});
    executors::ProjectLocks locks(p.client, p.options(3s));
    const auto begin = p.clock.monotonic();
    const bool taken = locks.before_write("shop", {}).has_value();
    CHECK(p.clock.monotonic() - begin >= 2s);
    return taken;
  };
  const std::string mine = util::process_mark(::getpid());
  CHECK_FALSE(marked(mine));
  CHECK_FALSE(marked("no mark"));
  CHECK_FALSE(marked("0000" + mine));  // of another boot
  CHECK(p.holder() == "somebody@else");
  CHECK(marked(mine + "0"));  // this process id was another one's
  CHECK(p.home->get("leases", "kubist", "shop")["spec"]["leaseTransitions"] == 1);

  p.home->remove("leases", "kubist", "shop");
  executors::ProjectLocks locks(p.client, p.options());
  REQUIRE(locks.before_write("shop", {}));
  const Json live = p.home->get("leases", "kubist", "shop");
  CHECK(data::string_at(live, {"metadata", "annotations", "kubist.io/process"}) == mine);
}

TEST_CASE("lease: one for longer than a clock can count is not stale at once") {
  LockPlace p;
  p.held_by_other();
  p.home->patch("leases", "kubist", "shop", kube::PatchType::merge,
                {{"spec", {{"leaseDurationSeconds", std::numeric_limits<std::int64_t>::max()}}}});
  executors::ProjectLocks locks(p.client, p.options(60s));
  CHECK(!locks.before_write("shop", {}));
  CHECK(p.holder() == "somebody@else");
}

TEST_CASE("lease: one that is renewed is never stale") {
  LockPlace p;
  p.held_by_other();
  int second = 0;
  p.home->before(
      "GET *leases/kubist*", [&] { p.held_by_other(++second % 60); }, 1000);
  executors::ProjectLocks locks(p.client, p.options(60s));
  const auto refused = locks.before_write("shop", {});
  REQUIRE(!refused);
  CHECK(refused.error().reason == "Locked");
  CHECK(second > 10);
  CHECK(!p.said.empty());
}

TEST_CASE("lease: while one is waited for the others are renewed") {
  LockPlace p;
  p.home->put(plain("Namespace", "", "blog"));
  p.held_by_other();
  auto options = p.options(20ms);
  options.times.retry = 1ms;
  const auto renewed = [&] {
    return std::string(
        data::string_at(p.home->get("leases", "kubist", "blog"), {"spec", "renewTime"}));
  };
  bool was_renewed = false;
  options.sleep = [&](auto duration, const auto& stop) {
    const std::string before = renewed();
    const bool whole = p.clock.sleep_for(duration, stop);
    const auto end = std::chrono::steady_clock::now() + 5s;
    while (!was_renewed && std::chrono::steady_clock::now() < end) {
      was_renewed = renewed() != before;
      std::this_thread::sleep_for(1ms);
    }
    return whole;
  };
  executors::ProjectLocks locks(p.client, options);
  CHECK(locks.before_write("blog", {}));
  CHECK(!locks.before_write("shop", {}));
  CHECK(was_renewed);
}

TEST_CASE("lease: it is taken as soon as its holder frees it") {
  LockPlace p;
  p.held_by_other();
  p.home->before("GET *leases/kubist*", [] {});
  p.home->before("GET *leases/kubist*", [&] {
    p.home->patch("leases", "kubist", "shop", kube::PatchType::merge,
                  {{"spec", {{"holderIdentity", ""}}}});
  });
  const auto begin = p.clock.monotonic();
  executors::ProjectLocks locks(p.client, p.options(60s));
  CHECK(locks.before_write("shop", {}));
  CHECK(p.clock.monotonic() - begin < 15s);
  REQUIRE(!p.said.empty());
  CHECK(p.said[0] == "waiting for the lock of shop, held by somebody@else (run run-7)");
}

TEST_CASE("lease: who comes a moment later waits for who came first") {
  for (const char* method : {"POST", "PUT"}) {
    CAPTURE(method);
    LockPlace p;
    if (method == std::string("PUT")) {
      p.held_by_other();
      p.home->patch("leases", "kubist", "shop", kube::PatchType::merge,
                    {{"spec", {{"holderIdentity", ""}}}});
    }
    p.home->before(cat(method, " *leases*"), [&] { p.held_by_other(1); });
    executors::ProjectLocks locks(p.client, p.options());
    const auto refused = locks.before_write("shop", {});
    REQUIRE(!refused);
    CHECK(refused.error().reason == "Locked");
    CHECK(p.holder() == "somebody@else");
  }
}

TEST_CASE("lease: where nothing is created none is needed") {
  LockPlace p;
  executors::ProjectLocks locks(p.client, p.options());
  CHECK(locks.before_write("nowhere", {}));
  Json held = plain("ConfigMap", "shop", "held");
  held["metadata"]["finalizers"] = {"example.com/hold"};
  p.home->put(held);
  p.home->remove("namespaces", "shop");
  CHECK(locks.before_write("shop", {}));
  CHECK(p.home->list("leases").empty());
}

TEST_CASE("lease: what was planned and holds no more frees it") {
  LockPlace p;
  auto options = p.options();
  int asked = 0;
  options.recheck = [&](const std::string& ns) -> util::Result<> {
    CHECK(ns == "shop");
    ++asked;
    return asked == 1 ? util::fail(util::ErrorKind::conflict, "changed") : util::Result<>{};
  };
  executors::ProjectLocks locks(p.client, options);
  const auto refused = locks.before_write("shop", {});
  REQUIRE(!refused);
  CHECK(refused.error().message == "changed");
  CHECK(p.holder().empty());
  CHECK(locks.before_write("shop", {}));
  CHECK(p.holder() == "me@test");
  CHECK(asked == 2);
}

TEST_CASE("lease: it is fresh after a check that took long, or taken once more") {
  for (const bool taken : {false, true}) {
    CAPTURE(taken);
    LockPlace p;
    auto options = p.options(60s);
    int checks = 0;
    options.recheck = [&](const std::string&) -> util::Result<> {
      if (++checks == 1) {
        p.clock.advance(16s);
        if (taken) {
          p.held_by_other(1);
        }
      }
      return {};
    };
    executors::ProjectLocks locks(p.client, options);
    CHECK(locks.before_write("shop", {}));
    CHECK(locks.before_write("shop", {}));
    CHECK(p.holder() == "me@test");
    CHECK(checks == (taken ? 2 : 1));
  }
}

TEST_CASE("lease: no new one after a stop, and waiting for one ends with it") {
  LockPlace p;
  std::stop_source source;
  source.request_stop();
  executors::ProjectLocks locks(p.client, p.options(60s));
  auto stopped = locks.before_write("shop", source.get_token());
  REQUIRE(!stopped);
  CHECK(stopped.error().kind == util::ErrorKind::cancelled);
  CHECK(p.home->list("leases").empty());

  p.held_by_other();
  std::stop_source later;
  p.home->before("GET *leases/kubist*", [&] { later.request_stop(); });
  executors::ProjectLocks waiting(p.client, p.options(60s));
  stopped = waiting.before_write("shop", later.get_token());
  REQUIRE(!stopped);
  CHECK(stopped.error().kind == util::ErrorKind::cancelled);
  CHECK(p.holder() == "somebody@else");
}

TEST_CASE("lease: one that could not be renewed for 10 s lets nothing be written") {
  LockPlace p;
  executors::ProjectLocks locks(p.client, p.options());
  CHECK(locks.before_write("shop", {}));
  p.home->fail("PUT *leases*", 500, 1000);
  p.clock.advance(11s);
  const auto refused = locks.before_write("shop", {});
  REQUIRE(!refused);
  CHECK(refused.error().reason == "Locked");
  CHECK(refused.error().message.find("could not be renewed") != std::string::npos);
}

TEST_CASE("lease: a machine that was suspended does not write under a lock that may be gone") {
  LockPlace p;
  executors::ProjectLocks locks(p.client, p.options());
  CHECK(locks.before_write("shop", {}));
  p.home->fail("PUT *leases*", 500, 1000);
  p.clock.suspend(11s);
  const auto refused = locks.before_write("shop", {});
  REQUIRE(!refused);
  CHECK(refused.error().reason == "Locked");
}

TEST_CASE("lease: a server that refuses it is told with the namespace") {
  LockPlace p;
  p.home->fail("POST *leases*", 403);
  executors::ProjectLocks locks(p.client, p.options());
  const auto refused = locks.before_write("shop", {});
  REQUIRE(!refused);
  CHECK(refused.error().kind == util::ErrorKind::forbidden);
  CHECK(refused.error().to_string().find("cannot lock project namespace shop") !=
        std::string::npos);
}

TEST_CASE("lease: one that was deleted is not made anew by who had it") {
  LockPlace p;
  executors::ProjectLocks locks(p.client, p.options());
  REQUIRE(locks.before_write("shop", {}));
  const auto permit = locks.permit("shop");
  p.home->remove("leases", "kubist", "shop");
  locks.release();
  CHECK(p.home->get("leases", "kubist", "shop").is_null());
  CHECK_FALSE(permit());
}

TEST_CASE("lease: who is never the fastest waits between tries, and no longer than it was told") {
  LockPlace p;
  p.home->fail("POST *leases*", 409, 1000);
  executors::ProjectLocks locks(p.client, p.options(10s));
  const auto begin = p.clock.monotonic();
  const auto refused = locks.before_write("shop", {});
  REQUIRE(!refused);
  CHECK(refused.error().reason == "Locked");
  CHECK(p.clock.monotonic() - begin == 10s);
  CHECK(p.said.size() == 5);
  std::stop_source stop;
  auto options = p.options(10s);
  options.sleep = [&](auto, const auto&) {
    stop.request_stop();
    return false;
  };
  executors::ProjectLocks stopped(p.client, options);
  const auto ended = stopped.before_write("shop", stop.get_token());
  REQUIRE(!ended);
  CHECK(ended.error().kind == util::ErrorKind::cancelled);
}
