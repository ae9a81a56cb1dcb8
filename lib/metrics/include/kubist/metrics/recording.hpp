#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <kubist/metrics/provider.hpp>
#include <kubist/util/result.hpp>

namespace kubist::metrics {

/// Reads a saved answer of Prometheus's /api/v1/query_range to counters_query(): the subject's
/// counters as Prometheus::sample() would have read them, in order of time. Times at which it would
/// have had a reason instead (NoData, Stale, SeveralSeries, ...) are left out. Invalid, naming
/// `origin` and the place: no JSON, no matrix, an element that is not shaped as Prometheus's are;
/// or fewer than two readings, with the first reason. Pure.
util::Result<std::vector<Sample>> read_recording(std::string_view text, const std::string& origin,
                                                 const Subject& subject);

}  // namespace kubist::metrics
