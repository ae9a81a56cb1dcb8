#include "item/in_order.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <future>
#include <iterator>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include <doctest/doctest.h>

using namespace kubist;
using deployers::Order;
using deployers::run_in_order;

namespace {

void is_no_failure(std::size_t /*i*/, const util::Error& error) { FAIL_CHECK(error.message); }

/// Of this process.
std::ptrdiff_t threads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

/// Waits for others.
class Crowd {
 public:
  explicit Crowd(int enough) : m_enough(enough) {}
  /// Returns when enough are here; false: they did not come.
  bool meet() {
    std::unique_lock lock(m_mutex);
    ++m_here;
    m_changed.notify_all();
    return m_changed.wait_for(lock, std::chrono::seconds(10),
                              [this] { return m_here >= m_enough; });
  }

 private:
  const int m_enough;
  int m_here = 0;
  std::mutex m_mutex;
  std::condition_variable m_changed;
};

}  // namespace

TEST_CASE("in order: an item that throws is told before what waits for it, and ends nothing else") {
  const Order order{{}, {0}, {}, {1, 2}};
  std::mutex mutex;
  std::map<std::size_t, std::string> failed;
  std::vector<std::size_t> ran;
  bool told_before = false;
  run_in_order(
      order, "p",
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
  run_in_order({}, "p", {}, {});  // nothing to do
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
  run_in_order(order, "p", is_no_failure, [&](std::size_t i) {
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
  CHECK(most <= 257);
  CHECK(std::all_of(done.begin(), done.end(), [](const auto& each) { return each.load(); }));
}

TEST_CASE("in order: groups in groups have no more threads than one, and all get on") {
  const std::ptrdiff_t before = threads();
  const Order outer(4);
  const Order inner(300);
  Crowd crowd(257);  // what one project may have, and who called
  std::mutex mutex;
  std::ptrdiff_t most = 0;
  int ran = 0;
  run_in_order(outer, "hostile", is_no_failure, [&](std::size_t) {
    run_in_order(inner, "hostile", is_no_failure, [&](std::size_t) {
      CHECK(crowd.meet());
      const std::scoped_lock lock(mutex);
      most = std::max(most, threads());
      ++ran;
    });
  });
  CHECK(ran == 1200);
  CHECK(most <= before + 300);
}

TEST_CASE("in order: what one project's items hold is not missing to another project") {
  Crowd all(257);
  std::promise<void> let_go;
  std::atomic<bool> in_time = true;
  {
    const std::jthread hostile([&, gone = let_go.get_future().share()] {
      run_in_order(Order(300), "hostile", is_no_failure, [&](std::size_t) {
        static_cast<void>(all.meet());
        in_time = gone.wait_for(std::chrono::seconds(10)) == std::future_status::ready && in_time;
      });
    });
    CHECK(all.meet());
    Crowd both(2);
    run_in_order(Order(2), "other", is_no_failure, [&](std::size_t) { CHECK(both.meet()); });
    let_go.set_value();
  }
  CHECK(in_time);
}

TEST_CASE("in order: what waits for others holds no thread meanwhile") {
  Order chain(300);
  for (std::size_t i = 1; i < chain.size(); ++i) {
    chain[i] = {i - 1};
  }
  Crowd side_by_side(256);
  std::atomic<bool> first = true;
  run_in_order(chain, "p", is_no_failure, [&](std::size_t) {
    if (first.exchange(false)) {
      run_in_order(Order(256), "p", is_no_failure,
                   [&](std::size_t) { CHECK(side_by_side.meet()); });
    }
  });
}

TEST_CASE("in order: nodes that wait for each other, or for themselves, are a cycle") {
  CHECK_FALSE(deployers::has_cycle({}));
  CHECK_FALSE(deployers::has_cycle({{}, {0}, {0, 1, 1}, {2, 0}}));
  CHECK(deployers::has_cycle({{0}}));
  CHECK(deployers::has_cycle({{}, {3, 0}, {1}, {2}}));
}
