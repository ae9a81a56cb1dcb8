#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

namespace kubist::experiment {

/// What some of the clients get.
struct Variant {
  std::string name;
  std::string destination, version;
  int port = 0;
  std::int64_t weight = 1;
};

enum class GoalKind {
  conversion,  ///< of `count` clients so many succeeded
  mean,        ///< `count` values with a mean and a standard deviation
};

/// What is measured of each variant.
struct Goal {
  std::string name;
  GoalKind kind = GoalKind::conversion;
  bool increase = true;  ///< more is better
  data::Json source;     ///< the goal's spec: {source, count, successes | mean, standardDeviation}
};

enum class Test {
  anytime,  ///< may be looked at any time: a confidence sequence
  welch,    ///< Welch's t-test, once, when every variant has its samples
};

/// Which variant a client gets that has none.
enum class Assignment {
  fixed,     ///< by the variants' weights
  thompson,  ///< the likelier a variant is the best, the more of them it gets
  policies,  ///< as its policies say at each reading
};

/// An Experiment's spec, read.
struct Plan {
  std::string route;  ///< a TrafficRoute
  std::string rule;   ///< one of its rules; empty: the only one
  std::string cookie;
  std::chrono::seconds max_age{30 * 24 * 3600};  ///< of the cookie
  std::chrono::seconds interval{60};             ///< between two evaluations
  std::chrono::seconds max_duration{14 * 24 * 3600};
  std::vector<Variant> variants;  ///< at least two; the first is the control
  std::vector<Goal> goals;        ///< at least one; the first decides
  Assignment assignment = Assignment::fixed;
  int minimum_percent = 5;  ///< of each variant, whatever is known of it
  std::uint64_t seed = 0;   ///< of the draws
  Test test = Test::anytime;
  double alpha = 0.05;
  /// Of each variant: where a Welch test is made; where an anytime test sees best.
  double samples = 1000;
  /// Of each variant, before an anytime test says anything.
  double minimum_samples = 100;
  std::string hash;  ///< of what is counted: another one begins counting again
};

bool has_variant(const Plan& plan, std::string_view name);

/// Reads an Experiment that the schema accepts. Invalid: a name twice, times that are no durations,
/// a minimum above the samples; the error names the field.
util::Result<Plan> read_plan(const data::Json& experiment);

/// The plan after its policies: they may change how it is judged and how long it takes. Invalid: as
/// of read_plan(); they changed the route, the variants or the goals, which were read before
/// (PolicyNotApplicable).
util::Result<Plan> after_policies(const Plan& before, const data::Json& experiment);

}  // namespace kubist::experiment
