// Windows of several virtual clusters as one.
#include <kubist/release/window.hpp>

#include "graph_support.hpp"

namespace kubist::release {

using namespace kubist::testing;
using data::Json;

namespace {

Measurement measured(double requests, const std::string& bounds = "100") {
  return {yaml("{seconds: 30.0, weight: 20, arms: {v1: {requests: " + std::to_string(requests) +
               ", errors: 1.0, latency: [{le: " + bounds + ", count: 5.0}]}}}"),
          {{"sample", requests}}};
}

Measurement without(const std::string& reason, Json cursor = Json()) {
  return {no_window(reason, "why"), std::move(cursor)};
}

}  // namespace

TEST_CASE("release windows: counts and latencies of all virtual clusters are summed") {
  const auto all = joined({{"eu", measured(10)}, {"us", measured(20)}}, 20, nullptr);
  CHECK(all.window["seconds"] == 30.0);
  CHECK(all.window["arms"]["v1"]["requests"] == 30.0);
  CHECK(all.window["arms"]["v1"]["errors"] == 2.0);
  CHECK(all.window["arms"]["v1"]["latency"][0]["count"] == 10.0);
  CHECK(all.window["clusters"].size() == 2);
  CHECK(all.cursor == Json{{"eu", {{"sample", 10.0}}}, {"us", {{"sample", 20.0}}}});
}

TEST_CASE("release windows: latencies with other bounds are not known together") {
  const auto all = joined({{"eu", measured(10)}, {"us", measured(20, "250")}}, 20, nullptr);
  CHECK(all.window["arms"]["v1"]["requests"] == 30.0);
  CHECK(all.window["arms"]["v1"]["latency"].empty());
}

TEST_CASE("release windows: there is none before each virtual cluster has one") {
  const Json cursors{{"eu", {{"sample", 1.0}}}, {"us", {{"sample", 2.0}}}};
  const auto all =
      joined({{"eu", measured(10)}, {"us", without("WindowOpen", cursors["us"])}}, 20, &cursors);
  CHECK(all.window == Json{{"reason", "WindowOpen"}, {"message", "us: why"}});
  CHECK(all.cursor == cursors);  // so that the window of the first goes on
}

TEST_CASE("release windows: a reason that is not time alone is told first") {
  const auto all = joined({{"asia", without("WindowOpen")},
                           {"eu", without("Unreachable")},
                           {"us", without("WindowOpen")}},
                          20, nullptr);
  CHECK(all.window["reason"] == "Unreachable");
  CHECK(all.window["message"] == "eu: why");
}

}  // namespace kubist::release
