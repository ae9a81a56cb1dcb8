#pragma once
#include <string>

#include <kubist/metrics/answer.hpp>
#include <kubist/metrics/sample.hpp>

namespace kubist::metrics {

/// How many requests were slower than a bound that the histogram has.
struct Slower {
  double bound_ms = 0;  ///< the bucket bound that was taken
  double slower = 0;    ///< requests that took longer
  double total = 0;     ///< requests that were timed
};

/// "p95 <= 400 ms" is "at most 5 % slower than 400 ms"; a histogram only knows its bounds, so the
/// nearest one at or above is taken: what is slower than it is surely slower than what was asked.
/// Inconclusive: NoData (nothing was timed), NoBound (only +Inf is above: such a bound cannot be
/// judged). Pure.
Expected<Slower> slower_than(const Counts& counts, double bound_ms);

/// "500 ms", or "500 ms (the next bucket bound above 400 ms)": what was judged, for people.
std::string describe_bound(const Slower& slower, double asked_ms);

}  // namespace kubist::metrics
