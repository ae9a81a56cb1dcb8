#pragma once
#include <kubist/data/json.hpp>
#include <kubist/engine/query.hpp>
#include <kubist/policies/expression.hpp>
#include <kubist/release/plan.hpp>

namespace kubist::policies {

/// The numbers of one window of a release, and the answers to queries. By name: `weight`, and for
/// `canary.` and `stable.` each
///   requests, errors        counts of the window; successes are the requests that are no errors
///   rps                     requests per second
///   errorRate, successRate  shares from 0 to 1
///   p50, p75, p90, p95, p99, p999   milliseconds: the histogram's bound that at most the rest
///                           exceeds; infinite above its greatest bound
/// and what release/query.hpp names, which a policy must have asked for (workload_queries()).
class WindowValues {
 public:
  /// `metrics` as policies get them: {window: {seconds, weight, arms}, QUERY: {value}}; they
  /// outlive this.
  WindowValues(const data::Json& metrics, const release::Plan& plan);

  /// All names that there are, and those behind `canary.` and `stable.`.
  static const std::vector<std::string>& names();
  static const std::vector<std::string>& names_of_version();
  /// Unknown: NoTraffic for a share of no requests, NoData where nothing was timed, or of a version
  /// that the window does not have, or why a query of the workload gave nothing.
  Value get(const std::string& name) const;
  /// What the query of that name gave, on each cluster one; one that is unknown where it gave
  /// nothing.
  std::vector<Value> answers(const std::string& name) const;

 private:
  Value workload(const std::string& name) const;

  const data::Json& m_metrics;
  const data::Json& m_window;
  const release::Plan& m_plan;
};

/// Those of the names that are to be asked as queries.
engine::Queries workload_queries(const std::vector<std::string>& names);

}  // namespace kubist::policies
