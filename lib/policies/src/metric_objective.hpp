#pragma once
#include <optional>
#include <string>
#include <vector>

#include "window_judge.hpp"

namespace kubist::policies {

/// A number of a window and the range that it must stay in, bounds included.
struct Objective {
  std::string name;
  Expression value;
  std::optional<double> least, most;
  bool compared = false;  ///< `value` is of one version: the canary's must not be below stable's
};

/// [{name, value, thresholdRange: {min, max}}]. A name of Flagger's needs no value.
Json objectives_schema();
/// Invalid, naming the metric: an unknown name without a value, an expression that does not parse
/// or is a condition, a range without bounds.
util::Result<std::vector<Objective>> read_objectives(const Json& metrics);
/// Vamp's `metric`: a number for each version, with its names for what is counted.
util::Result<Objective> compare_versions(std::string_view text);

/// Passes where all are in range; fails where one is out of it, whatever the others are.
WindowCheck check_objectives(const std::vector<Objective>& objectives, const WindowValues& window);

}  // namespace kubist::policies
