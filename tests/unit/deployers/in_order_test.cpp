#include "item/in_order.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

using namespace kubist;
using deployers::Order;

TEST_CASE("in order: an item that throws is told before what waits for it, and ends nothing else") {
  const Order order{{}, {0}, {}, {1, 2}};
  std::mutex mutex;
  std::map<std::size_t, std::string> failed;
  std::vector<std::size_t> ran;
  bool told_before = false;
  deployers::run_in_order(
      order,
      [&](std::size_t i, const util::Error& error) {
        const std::scoped_lock lock(mutex);
        failed[i] = error.message;
      },
      [&](std::size_t i) {
        const std::scoped_lock lock(mutex);
        ran.push_back(i);
        if (i == 0) {
          throw std::runtime_error("imports is no list");
        }
        told_before = told_before || (i == 1 && failed.contains(0));
      });
  CHECK(failed == std::map<std::size_t, std::string>{{0, "unexpected: imports is no list"}});
  CHECK(told_before);
  CHECK(ran.size() == 4);
  CHECK(ran.back() == 3);
  deployers::run_in_order({}, {}, {});  // nothing to do
}

TEST_CASE(
    "in order: a thousand items run in some hundreds of threads, each after those before it") {
  constexpr std::size_t k_items = 1000;
  Order order(k_items);
  for (std::size_t i = 1; i < k_items; ++i) {
    order[i] = i % 2 == 0 ? std::vector<std::size_t>{i - 1} : std::vector<std::size_t>{};
  }
  std::vector<std::atomic<bool>> done(k_items);
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  std::atomic<int> too_early = 0;
  deployers::run_in_order(
      order, [&](std::size_t, const util::Error& error) { FAIL_CHECK(error.message); },
      [&](std::size_t i) {
        const int now = ++running;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
        for (const std::size_t before : order[i]) {
          too_early += done[before] ? 0 : 1;
        }
        done[i] = true;
        --running;
      });
  CHECK(too_early == 0);
  CHECK(most <= 513);
  CHECK(std::all_of(done.begin(), done.end(), [](const auto& each) { return each.load(); }));
}
