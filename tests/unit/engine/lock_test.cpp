#include <doctest/doctest.h>

#include <kubist/engine/lock.hpp>

using namespace kubist::engine;
using namespace std::chrono_literals;
using Step = LockState::Step;

namespace {
const LockState::Time k_zero{1000s};

LeaseRecord held_by(const std::string& who, const std::string& renewed) {
  LeaseRecord record;
  record.holder = who;
  record.renew_time = renewed;
  record.transitions = 4;
  return record;
}
}  // namespace

TEST_CASE("lock: a missing lease is created, a free one taken") {
  LockState lock("me");
  lock.observe(std::nullopt, k_zero);
  CHECK(lock.next(k_zero) == Step::create);
  lock.observe(held_by("", "t0"), k_zero);
  CHECK(lock.next(k_zero) == Step::take);
  CHECK_FALSE(lock.may_write(k_zero));
}

TEST_CASE("lock: another's lease is stale only after 15 s without a change that we saw") {
  LockState lock("me");
  lock.observe(held_by("other", "t0"), k_zero);
  CHECK(lock.next(k_zero + 14s) == Step::wait);
  lock.observe(held_by("other", "t1"), k_zero + 14s);
  CHECK(lock.next(k_zero + 16s) == Step::wait);
  lock.observe(held_by("other", "t1"), k_zero + 28s);
  CHECK(lock.next(k_zero + 29s) == Step::take);
  CHECK(lock.holder() == "other");
  CHECK(lock.desired("run", "t9").transitions == 5);
  CHECK(lock.desired("run", "t9").holder == "me");
}

TEST_CASE("lock: a holder renews every 2 s and stops writing 10 s after the last renewal") {
  LockState lock("me");
  lock.observe(std::nullopt, k_zero);
  lock.acquired(lock.desired("run", "t0"), k_zero);
  CHECK(lock.held());
  CHECK(lock.next(k_zero + 1s) == Step::none);
  CHECK(lock.wait_time(k_zero + 1s) == 1s);
  CHECK(lock.next(k_zero + 2s) == Step::renew);
  CHECK(lock.may_write(k_zero + 9s));
  CHECK_FALSE(lock.may_write(k_zero + 10s));
  lock.acquired(lock.desired("run", "t1"), k_zero + 9s);
  CHECK(lock.may_write(k_zero + 18s));
  CHECK(lock.desired("run", "t2").transitions == 0);
}

TEST_CASE("lock: seeing another holder ends ours") {
  LockState lock("me");
  lock.observe(std::nullopt, k_zero);
  lock.acquired(lock.desired("run", "t0"), k_zero);
  lock.observe(held_by("other", "t1"), k_zero + 1s);
  CHECK_FALSE(lock.held());
  CHECK_FALSE(lock.may_write(k_zero + 1s));
  CHECK(lock.next(k_zero + 1s) == Step::wait);
}
