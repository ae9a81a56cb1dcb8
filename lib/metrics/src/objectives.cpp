#include <algorithm>
#include <cmath>

#include <kubist/metrics/objectives.hpp>
#include <kubist/util/text.hpp>

namespace kubist::metrics {

using util::cat;

Expected<Slower> slower_than(const Counts& counts, double bound_ms) {
  if (counts.latency_ms.empty() || counts.latency_ms.back().count <= 0) {
    return inconclusive(k_reason_no_data, "no request was timed in this window");
  }
  const auto bucket = std::find_if(counts.latency_ms.begin(), counts.latency_ms.end(),
                                   [&](const Bucket& each) { return each.le >= bound_ms; });
  if (bucket == counts.latency_ms.end() || std::isinf(bucket->le)) {
    const double greatest = counts.latency_ms.size() > 1 ? (counts.latency_ms.end() - 2)->le : 0;
    return inconclusive(
        k_reason_no_bound,
        cat("the histogram has no bucket bound at or above ", bound_ms, " ms (its greatest is ",
            greatest, " ms): ask for a smaller one, or add ", "a bound to the proxies' buckets"));
  }
  const double total = counts.latency_ms.back().count;
  return Slower{bucket->le, std::max(0.0, total - bucket->count), total};
}

std::string describe_bound(const Slower& slower, double asked_ms) {
  if (slower.bound_ms == asked_ms) {
    return cat(slower.bound_ms, " ms");
  }
  return cat(slower.bound_ms, " ms (the next bucket bound above ", asked_ms, " ms)");
}

}  // namespace kubist::metrics
