#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <kubist/engine/call.hpp>

#include "judges/metric_objective.hpp"
#include "policy/place.hpp"

namespace kubist::policies {

/// One metric of an analysis, by Argo's fields.
struct AnalysisMetric {
  std::string name;
  std::optional<engine::Query> query;              ///< whose answer the conditions call `result`
  std::optional<Objective> objective;              ///< thresholdRange
  std::optional<Expression> success, failure;      ///< or conditions over the window
  std::int64_t count = 1;                          ///< windows that must be judged
  std::optional<std::int64_t> failure_limit = 0;   ///< nothing: any number may fail
  std::optional<std::int64_t> inconclusive_limit;  ///< nothing: only the hold limit ends it
  bool dry_run = false;                            ///< measured, and decides nothing
};

struct Step {
  enum class Kind { pause, analysis, header, mirror, webhook, job };
  Kind kind = Kind::pause;
  /// Of a pause (nothing: until a person goes on); of a job the longest.
  std::optional<std::chrono::seconds> duration;
  std::chrono::seconds initial_delay{0};
  std::vector<AnalysisMetric> metrics;
  std::string name;          ///< of a route, a webhook or a job
  std::string match;         ///< its condition; of a header route: empty ends it
  int percent = 0;           ///< of a mirror route; 0 ends it
  engine::PolicyCall call;   ///< of a webhook or a job; who calls fills in name, step and failed
  std::int64_t retries = 0;  ///< how often it may be refused
  bool waits = false;        ///< refused is not failed: it gives leave to go on
};

/// A weight and what is to be done there before the next one.
struct Stage {
  int weight = 0;
  std::vector<Step> steps;
};

/// Reads `steps`, which stand at `place`. Invalid, naming the step: one that is not known
/// (experiments are not), weights that do not rise, a list that does not begin with a weight (but
/// for header and mirror routes, which begin with it).
util::Result<std::vector<Stage>> read_steps(const Json& steps, const Place& place = {});

/// The queries of all analyses.
engine::Queries queries_of_steps(const Json& steps);

/// The parameters' schema.
Json steps_schema();

}  // namespace kubist::policies
