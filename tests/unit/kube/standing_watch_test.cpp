// Watches that take a thread only while they have something to do.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <doctest/doctest.h>

#include <kubist/kube/watch.hpp>

#include "support/comes_true.hpp"
#include "support/fake_cluster.hpp"
#include "support/widgets.hpp"

using namespace kubist;
using testing::comes_true;
using namespace std::chrono_literals;

namespace {

std::size_t threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

/// What a watch of maps has told.
struct Seen {
  std::atomic<int> listed = 0, events = 0;
  kube::WatchHandler handler() {
    return [this](const kube::WatchEvent& event) {
      ++(event.type == kube::WatchEventType::relisted ? listed : events);
      return util::Result<>();
    };
  }
};

kube::WatchOptions maps_in(const std::string& ns) {
  kube::WatchOptions options;
  options.resource = kube::well_known::config_maps();
  options.ns = ns;
  return options;
}

kube::StandingWatch watch(const std::shared_ptr<kube::Client>& client, const std::string& ns,
                          Seen& seen) {
  auto begun = kube::StandingWatch::begin_lasting(client, maps_in(ns), seen.handler());
  REQUIRE(begun);
  return *std::move(begun);
}

}  // namespace

TEST_CASE("standing watch: fifty are told of an event, and take few threads") {
  testing::FakeCluster cluster;
  const auto client = cluster.connect();
  const std::size_t before = threads();
  std::vector<Seen> seen(50);
  std::vector<kube::StandingWatch> watches;
  for (Seen& each : seen) {
    watches.push_back(watch(client, "default", each));
  }
  const auto all = [&](const auto& holds) {
    return comes_true([&] { return std::all_of(seen.begin(), seen.end(), holds); });
  };
  CHECK(all([](const Seen& each) { return each.listed == 1; }));
  CHECK(comes_true([&] { return threads() <= before + 4; }));
  cluster.put(testing::map_named("a"));
  CHECK(all([](const Seen& each) { return each.events == 1; }));
}

TEST_CASE("standing watch: a listing that gets no answer holds up no other watch") {
  testing::FakeCluster cluster;
  const auto client = cluster.connect();
  std::mutex mutex;
  std::condition_variable changed;
  bool is_open = false;
  cluster.before("GET *namespaces/silent/configmaps*", [&] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return is_open; });
  });
  Seen silent, seen;
  const auto hangs = watch(client, "silent", silent);
  const auto other = watch(client, "default", seen);
  CHECK(comes_true([&] { return seen.listed == 1; }));
  cluster.put(testing::map_named("a"));
  CHECK(comes_true([&] { return seen.events == 1; }));
  CHECK(silent.listed == 0);
  {
    const std::lock_guard lock(mutex);
    is_open = true;
    changed.notify_all();
  }
  CHECK(comes_true([&] { return silent.listed == 1; }));
}

TEST_CASE("standing watch: one that is forbidden from the first ends, if it is to be told of it") {
  testing::FakeCluster cluster;
  const auto client = cluster.connect();
  std::atomic<int> refused = 0, trouble = 0;
  Seen seen;
  kube::WatchOptions options = maps_in("default");
  options.on_refused = [&](const util::Error& error) {
    CHECK(error.http_status == 403);
    ++refused;
  };
  options.on_trouble = [&](const util::Error&) { ++trouble; };
  const auto begin = [&] {
    auto begun = kube::StandingWatch::begin_lasting(client, options, seen.handler());
    REQUIRE(begun);
    return *std::move(begun);
  };
  cluster.fail("GET *configmaps?*", 500);
  cluster.fail("GET *configmaps?*", 403);
  const auto first = begin();
  CHECK(comes_true([&] { return refused == 1; }));
  CHECK(trouble > 0);
  const auto second = begin();
  CHECK(comes_true([&] { return seen.listed == 1; }));
  cluster.fail("GET *configmaps?*", 403, 2);
  cluster.cut_watches();
  CHECK(comes_true([&] { return seen.listed == 2; }));  // the second one's, which had listed before
  CHECK(refused == 1);
}

TEST_CASE("standing watch: nothing is told after its end") {
  testing::FakeCluster cluster;
  const auto client = cluster.connect();
  cluster.put(testing::map_named("a"));
  std::atomic<bool> writes = true;
  std::jthread writer([&] {
    for (int i = 0; writes; ++i) {
      cluster.patch("configmaps", "a", "default", kube::PatchType::merge,
                    {{"data", {{"x", std::to_string(i)}}}});
    }
  });
  for (int i = 0; i < 50; ++i) {
    std::atomic<bool> is_over = false, late = false;
    std::atomic<int> told = 0;
    auto begun = kube::StandingWatch::begin_lasting(client, maps_in("default"),
                                                    [&](const kube::WatchEvent&) {
                                                      late = late || is_over;
                                                      ++told;
                                                      return util::Result<>();
                                                    });
    REQUIRE(begun);
    if (i % 2 == 0) {
      CHECK(comes_true([&] { return told > i % 7; }));
    }
    *begun = {};
    is_over = true;
    CHECK_FALSE(late);
  }
  writes = false;
}

TEST_CASE("standing watch: what its handler throws is trouble, and ends one that does not last") {
  testing::FakeCluster cluster;
  const auto client = cluster.connect();
  const kube::WatchHandler throws = [](const kube::WatchEvent&) -> util::Result<> {
    throw std::runtime_error("a bug");
  };
  std::mutex mutex;
  std::vector<std::string> told;
  const auto tell = [&](const util::Error& error) {
    const std::lock_guard lock(mutex);
    told.push_back(error.message);
  };
  const auto count = [&] {
    const std::lock_guard lock(mutex);
    return told.size();
  };
  kube::WatchOptions options = maps_in("default");
  options.on_trouble = tell;
  const auto lasting = kube::StandingWatch::begin_lasting(client, options, throws);
  REQUIRE(lasting);
  CHECK(comes_true([&] { return count() == 1; }));
  const auto ends = kube::StandingWatch::begin(client, maps_in("default"), throws, tell);
  REQUIRE(ends);
  CHECK(comes_true([&] { return count() == 2; }));
  CHECK(told == std::vector<std::string>(2, "unexpected: a bug"));
}
