#pragma once
#include <cstdint>
#include <span>

namespace kubist::stats {

struct Interval {
  double low = 0;
  double high = 0;
};

/// The percentile bootstrap interval of mean(first) - mean(second) at `level`, from `resamples`
/// resamples of each (Efron, 1979). For reports only. The same seed gives the same interval; both
/// samples need at least one value, resamples at least 2. The ends are the order statistics that
/// NumPy's linear percentiles interpolate.
Interval bootstrap_difference(std::span<const double> first, std::span<const double> second,
                              double level, int resamples, std::uint64_t seed);

}  // namespace kubist::stats
