#include "judges/statistical_latency.hpp"

#include <algorithm>
#include <chrono>

#include <kubist/data/pointer.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

namespace kubist::policies {

using data::Json;
using util::cat;

namespace {

const Json& buckets_of(const Json& arm) {
  static const Json k_none = Json::array();
  const Json* buckets = data::find_path(arm, {"latency"});
  return buckets != nullptr ? *buckets : k_none;
}

}  // namespace

util::Result<LatencyBound> find_bound(const Json& latency,
                                      const std::vector<const Json*>& clusters) {
  const auto asked = util::parse_duration(data::string_at(latency, {"bound"}));
  if (!asked || asked->count() <= 0) {
    return util::fail(util::ErrorKind::invalid, "latency.bound is no duration like 500ms");
  }
  LatencyBound bound;
  bound.asked_ms = std::chrono::duration<double, std::milli>(*asked).count();
  bound.taken_ms = bound.asked_ms;
  bool known = true;
  for (const Json* cluster : clusters) {
    const Json arms = cluster->value("arms", Json::object());
    for (const Json& arm : arms) {
      double above = 0;
      for (const Json& bucket : buckets_of(arm)) {
        const double le = bucket["le"].is_number() ? bucket["le"].get<double>() : 0;
        above = above == 0 && le >= bound.asked_ms ? le : above;
        bound.greatest_ms = std::max(bound.greatest_ms, le);
      }
      known = known && (above > 0 || buckets_of(arm).empty());
      bound.taken_ms = std::max(bound.taken_ms, above);
    }
  }
  bound.taken_ms = known ? bound.taken_ms : 0;
  return bound;
}

std::string describe(const LatencyBound& bound) {
  if (bound.taken_ms == 0) {
    return cat("latency.bound ", bound.asked_ms,
               " ms: the histogram has no bound there or above, its greatest is ",
               bound.greatest_ms, " ms");
  }
  return cat("slower than ", bound.taken_ms, " ms",
             bound.taken_ms == bound.asked_ms
                 ? ""
                 : cat(" (the next bound above ", bound.asked_ms, " ms)"));
}

stats::Counts slower_than(const Json& arm, const LatencyBound& bound) {
  const Json& buckets = buckets_of(arm);
  if (buckets.empty()) {
    return {};
  }
  const double total = buckets.back().value("count", 0.0);
  for (const Json& bucket : buckets) {
    if (bucket["le"].is_number() && bucket["le"].get<double>() >= bound.taken_ms) {
      return {total, total - bucket.value("count", 0.0)};
    }
  }
  return {};
}

}  // namespace kubist::policies
