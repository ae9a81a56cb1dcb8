#pragma once
#include <chrono>
#include <cstdlib>
#include <vector>

#include "rules.hpp"

namespace faults {

/// How long the soak tests disturb kubist: $KUBIST_SOAK_SECONDS, three minutes by default.
inline std::chrono::seconds soak_time() {
  const char* given = std::getenv("KUBIST_SOAK_SECONDS");
  return std::chrono::seconds(given == nullptr ? 180 : std::atoi(given));
}

/// New connections are taken, and then nothing is said there.
inline Json half_open() { return Json::array({first(4, "half-open")}); }

/// Of the rules one is in force at a time, and often none. Watches are not silent: one that stands
/// for 150 s without a word begins anew, which is longer than is waited at the end.
inline std::vector<Json> spoilers() {
  const Json writes{{"method", "WRITE"}};
  const Json reads{{"method", "GET"}};
  const Json lists{{"method", "GET"}, {"path", "[?&]limit="}};
  const Json watches{{"path", "watch=1"}, {"bytes", 100}};
  return {Json::array(),
          half_open(),
          Json::array({first(2, "silence", writes)}),
          Json::array({after(first(2, "silence", writes))}),
          Json::array({first(2, "silence", lists)}),
          Json::array({after(first(3, "truncate", watches))}),
          Json::array({after(first(3, "truncate", with(writes, {{"bytes", 100}})))}),
          Json::array({after(first(2, "truncate", with(lists, {{"bytes", 200}})))}),
          Json::array({first(3, "reset", writes)}),
          Json::array({after(first(3, "reset", writes))}),
          Json::array({after(first(3, "abort", writes))}),
          Json::array({status(5, 503)}),
          Json::array({after(status(2, 503, writes))}),
          Json::array({status(5, 429, {{"retryAfter", "1"}})}),
          Json::array({status(3, 409, {{"method", "PATCH"}})}),
          Json::array({status(3, 410, reads)}),
          Json::array({status(5, 500, reads)}),
          Json::array({first(20, "goaway")}),
          Json::array({first(20, "latency", {{"milliseconds", 300}})})};
}

}  // namespace faults
