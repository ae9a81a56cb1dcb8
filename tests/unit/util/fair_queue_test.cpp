// Places of which one group cannot take all.
#include <atomic>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <kubist/util/fair_places.hpp>

using namespace kubist::util;

namespace {

/// All that gets a place now, in order.
std::string taken(FairQueue<std::string>& queue) {
  std::string all;
  while (const auto next = queue.pop()) {
    all += (all.empty() ? "" : " ") + *next;
  }
  return all;
}

}  // namespace

TEST_CASE("fair queue: one group has its share, and who has none gets a place all the same") {
  FairQueue<std::string> queue({3, 7});
  for (int i = 0; i < 9; ++i) {
    queue.push("a", "a" + std::to_string(i));
    queue.push("b", "b" + std::to_string(i));
  }
  CHECK(taken(queue) == "a0 b0 a1 b1");
  for (const char* name : {"c", "d", "e", "f"}) {
    queue.push(name, name);
  }
  CHECK(taken(queue) == "c d e");
  CHECK(queue.used() == 7);
  queue.give_back("a");
  CHECK(taken(queue) == "f");
  queue.give_back("a");  // it has none any more, but is not the first to get one back
  queue.give_back("f");
  CHECK(taken(queue) == "a2");
}

TEST_CASE("fair queue: alone, a group has its share and no more") {
  FairQueue<std::string> queue({3, 7});
  for (const char* name : {"1", "2", "3", "4"}) {
    queue.push("a", name);
  }
  CHECK(taken(queue) == "1 2 3");
  CHECK_FALSE(queue.try_take("a"));
  CHECK(queue.try_take("b"));
  queue.give_back("a");
  CHECK(taken(queue) == "4");
}

TEST_CASE("fair queue: a group that comes back each time does not pass who waits") {
  FairQueue<std::string> queue({1, 1});
  queue.push("a", "a");
  CHECK(taken(queue) == "a");
  queue.push("b", "b");
  queue.push("c", "c");
  std::string order;
  for (const std::string group : {"a", "b", "c", "a"}) {
    queue.push("a", "a");
    queue.give_back(group);
    order += taken(queue);
  }
  CHECK(order == "bcaa");
}

TEST_CASE("fair queue: within a group the lowest order is first, then what came first") {
  FairQueue<std::string> queue({9, 9});
  queue.push("a", "late", 7);
  queue.push("a", "first", 1);
  queue.push("a", "second", 1);
  queue.push("b", "gone", 0);
  CHECK(queue.remove_if([](const std::string& each) { return each == "gone"; }) ==
        std::vector<std::string>{"gone"});
  CHECK(taken(queue) == "first second late");
}

TEST_CASE("fair places: a thread waits for its turn, or for a stop") {
  FairPlaces places({1, 1});
  std::optional<FairPlaces::Place> held = places.try_take("a");
  REQUIRE(held);
  CHECK_FALSE(places.try_take("b"));
  std::stop_source stop;
  std::atomic<bool> got = false;
  {
    const std::jthread patient([&] { got = places.take("b", {}).has_value(); });
    std::jthread stopped([&] { CHECK_FALSE(places.take("a", stop.get_token())); });
    stop.request_stop();
    stopped.join();
    held.reset();
  }
  CHECK(got);
  CHECK(places.try_take("a"));
}
