#pragma once
#include <chrono>
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/traffic/shift.hpp>
#include <kubist/util/result.hpp>

namespace kubist::release {

/// A CanaryRelease's spec, read.
struct Plan {
  std::string destination;          ///< the Destination whose versions take turns
  std::string stable;               ///< the version that has the traffic
  std::string canary;               ///< the version to release: the target
  std::vector<std::string> routes;  ///< TrafficRoutes whose weights move as one
  std::vector<int> weights;         ///< percent, ascending from 0 or more, the last is 100
  /// Each step reaches one wave of virtual clusters after the other; see waves_of().
  bool in_waves = false;
  std::vector<std::vector<std::string>> waves;
  std::string match;       ///< condition of requests that always go to the canary
  traffic::Copies mirror;  ///< requests whose copies it gets
  std::string cookie;      ///< by which clients stay with the canary; empty: none do
  std::chrono::seconds cookie_age{86400};
  std::chrono::seconds interval{30};      ///< between two evaluations
  std::chrono::seconds bake{300};         ///< at 100 % before it is done
  std::chrono::seconds hold_limit{1800};  ///< at one step without a decision
};

/// Reads a CanaryRelease that the schema accepts. Invalid: weights that do not rise, times that are
/// no durations, a cookie that is no word, stable and canary the same, waves without their order or
/// with a cluster twice; the error names the field.
util::Result<Plan> read_plan(const data::Json& canary_release);

/// The plan at the pace of `spec`, its own after its policies: what is released, and where, stays.
/// Invalid: as of read_plan(); a condition that does not parse.
util::Result<Plan> paced(const Plan& plan, const data::Json& spec);

/// The first weight above `weight`; 100 beyond the last.
int next_weight(const Plan& plan, int weight);

}  // namespace kubist::release
