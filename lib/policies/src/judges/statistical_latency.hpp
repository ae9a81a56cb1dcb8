#pragma once
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/stats/counts.hpp>
#include <kubist/util/result.hpp>

namespace kubist::policies {

/// A histogram knows its bounds only: "slower than 400 ms" is judged as slower than the next bound
/// above it. What is slower than that is surely slower than what was asked.
struct LatencyBound {
  double asked_ms = 0;
  double taken_ms = 0;     ///< the asked one where nothing was timed; 0: no bound is above it
  double greatest_ms = 0;  ///< that the histograms have
};

/// `latency`: {bound: "400ms"}; `clusters`: windows with arms; where their bounds differ the
/// greatest of those above is taken. Invalid: no duration.
util::Result<LatencyBound> find_bound(const data::Json& latency,
                                      const std::vector<const data::Json*>& clusters);

/// "slower than 500 ms (the next bound above 400 ms)", or why none can be taken.
std::string describe(const LatencyBound& bound);

/// The requests of an arm that were timed, and those of them that were slower. Nothing was timed:
/// none.
stats::Counts slower_than(const data::Json& arm, const LatencyBound& bound);

}  // namespace kubist::policies
