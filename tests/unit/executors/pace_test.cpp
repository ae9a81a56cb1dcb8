#include "session/pace.hpp"

#include <doctest/doctest.h>

using namespace kubist;
using namespace std::chrono_literals;

TEST_CASE("pace: some times at once, but what goes on for long every 10 s, each node for itself") {
  executors::Pace pace(20, std::chrono::seconds(10));
  const engine::Key fought{"", "DeployItem", "shop", "a"}, other{"", "DeployItem", "shop", "b"};
  const executors::Pace::Time start{};
  for (int i = 0; i < 20; ++i) {
    CHECK(pace.next(fought, start) == start);
    CHECK(pace.next(fought, start) == start);  // asking costs nothing
    pace.count(fought, start);
  }
  CHECK(pace.next(fought, start) == start + 10s);
  CHECK(pace.next(fought, start + 4s) == start + 10s);
  pace.count(fought, start + 10s);
  CHECK(pace.next(fought, start + 10s) == start + 20s);
  CHECK(pace.next(other, start) == start);
  CHECK(pace.next(fought, start + 1h) == start + 1h);
}
