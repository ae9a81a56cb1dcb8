#pragma once
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

namespace kubist::metrics {

/// One bucket of a histogram, cumulative as Prometheus has them.
struct Bucket {
  double le = 0;     ///< upper bound, milliseconds, inclusive; the last bucket's is +Inf
  double count = 0;  ///< requests that took at most that long
  bool operator==(const Bucket&) const = default;
};

/// Cumulative counters of one process about one version.
struct Series {
  std::string id;  ///< stable key: process (pod, restarts) and labels
  double requests = 0;
  double errors = 0;
  std::vector<Bucket> latency_ms;  ///< ascending, +Inf last; empty: none is known
  double latency_sum_ms = 0;
  int missed = 0;  ///< readings since the series was last seen; see carry_over()
  bool operator==(const Series&) const = default;
};

/// All counters of a destination's versions (arms) at one instant. An arm without series was looked
/// at and had no requests; an arm that is not in the map is unknown.
struct Sample {
  std::chrono::system_clock::time_point at;
  /// Whose counters: "envoy" (clusters) or "istio" (istio_requests_total). Samples of different
  /// sources count different things and have no difference.
  std::string source;
  std::map<std::string, std::vector<Series>> arms;
  bool operator==(const Sample&) const = default;
};

/// What happened in a window.
struct Counts {
  double requests = 0;
  double errors = 0;
  /// Over the bounds that all series share. Its total (the +Inf bucket) is what was timed, which
  /// may differ from `requests` by a few: Envoy publishes histograms every 5 s, counters at once.
  std::vector<Bucket> latency_ms;
  double latency_sum_ms = 0;
  bool operator==(const Counts&) const = default;
};

/// What every arm of `after` or `before` did between the two, series by series. Pure.
///   in both           the difference; where any counter shrank, the process began again, and
///                     its new value counts
///   only in `after`   counts from zero, if `before` knows its arm; else it is a beginning and
///                     counts nothing
///   only in `before`  counts nothing
/// A series whose bucket bounds changed has no latency in that window. Samples of different sources
/// give zeros.
std::map<std::string, Counts> difference(const Sample& before, const Sample& after);

/// `after` as the next window's `before`: with the series that only `before` has, as they were, for
/// up to 120 readings. So a series that was out of sight for a while (a target that was not
/// scraped, a pod that did not answer) counts what it gained since then, and nothing twice. Pure.
Sample carry_over(const Sample& before, Sample after);

/// The sample in few bytes (some 60 for a series with latencies): saved by the caller together with
/// the state of its tests, in one write.
data::Json to_json(const Sample& sample);
/// Invalid: not what to_json() makes.
util::Result<Sample> read_sample(const data::Json& json);

}  // namespace kubist::metrics
