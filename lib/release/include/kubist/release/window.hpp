#pragma once
#include <map>
#include <string>
#include <string_view>

#include <kubist/data/json.hpp>
#include <kubist/release/plan.hpp>
#include <kubist/release/progress.hpp>

namespace kubist::release {

/// What was measured of a release in one run.
struct Measurement {
  /// For policies: {seconds, weight, arms: {VERSION: {requests, errors, latency: [{le, count}]}}}
  /// (on several virtual clusters the sums, and clusters: [{name, arms}]),
  /// or {reason, message} where there is no window: WindowBegins, WindowOpen, NotObserved, or why
  /// nothing could be read (metrics/answer.hpp).
  data::Json window;
  data::Json cursor;  ///< status.cursor: where the next window begins; null: nowhere
};

/// Those of several virtual clusters as one: sums and all cursors where each has a window, else why
/// one has none; the cursors of the others (`cursors`: status.cursor, or null) then stay, so that
/// their windows go on. Latencies are summed where their bounds are the same; else none are known.
Measurement joined(const std::map<std::string, Measurement>& all, int weight,
                   const data::Json* cursors);

/// Is the next window still open, or no weight under way? Then nothing is judged, and what was said
/// at the last one holds.
bool is_between(const data::Json& window);

/// The answer where there is no window: {reason, message}.
data::Json no_window(std::string_view reason, std::string_view message);

/// Is a weight of it under way, so that there is something to measure?
bool is_measured(const Progress& progress);

/// Is a window that began then over? It is as long as the interval; an evaluation that comes a
/// little early closes it all the same.
bool is_window_over(const Plan& plan, Time began, Time now);

}  // namespace kubist::release
