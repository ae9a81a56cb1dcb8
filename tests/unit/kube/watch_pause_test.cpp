#include "watch_pause.hpp"

#include <doctest/doctest.h>

using namespace kubist;
using namespace std::chrono_literals;

TEST_CASE("watch pause: grows, and ends where a change is still acted upon soon after") {
  const auto refused = util::make_error(util::ErrorKind::forbidden, "no right");
  const auto unreachable = util::make_error(util::ErrorKind::unavailable, "nobody listens");
  for (const util::Error& error : {refused, unreachable}) {
    CHECK(kube::watch_pause(error, 1, 0) == 400ms);
    CHECK(kube::watch_pause(error, 2, 0) == 800ms);
  }
  CHECK(kube::watch_pause(refused, 50, 1) == 8s);
  CHECK(kube::watch_pause(unreachable, 50, 0) == 10s);
  CHECK(kube::watch_pause(unreachable, 50, 1) == 20s);
}
