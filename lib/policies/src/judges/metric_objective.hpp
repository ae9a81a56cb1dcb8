#pragma once
#include <optional>
#include <string>
#include <vector>

#include "judges/window_judge.hpp"
#include "policy/place.hpp"

namespace kubist::policies {

/// A number of a window and the range that it must stay in, bounds included.
struct Objective {
  std::string name;
  Expression value;
  std::optional<double> least, most;
  bool compared = false;  ///< `value` is of one version: the canary's must not be below stable's
  std::optional<engine::Query> query;  ///< its answer is the number, instead of `value`
};

/// [{name, value or query, thresholdRange: {min, max}}]. A name of Flagger's needs neither.
Json objectives_schema();
/// One of them, which stands at `place`. Invalid, naming the metric: an unknown name without a
/// value, value and query both, an expression that does not parse or is a condition, a range
/// without bounds.
util::Result<Objective> read_objective(const Json& metric, const Place& place);
/// What it asks besides the window: its query, or its numbers of the workload.
engine::Queries queries_of(const Objective& objective);
/// The metric's query: its own, or Argo's provider.prometheus.query or provider.web.
/// Nothing: it has none. Invalid: a provider with more than that.
util::Result<std::optional<engine::Query>> query_of(const Json& metric, const std::string& what,
                                                    const Place& place);
/// Vamp's `metric`: a number for each version, with its names for what is counted.
util::Result<Objective> compare_versions(std::string_view text, const Place& place);

/// Passes where all are in range; fails where one is out of it, whatever the others are.
WindowCheck check_objectives(const std::vector<Objective>& objectives, const WindowValues& window);

}  // namespace kubist::policies
