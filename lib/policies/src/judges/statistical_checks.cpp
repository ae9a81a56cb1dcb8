#include <cmath>

#include <kubist/engine/resource_list.hpp>
#include <kubist/policies/statistical.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/words.hpp>

namespace kubist::policies {
namespace {

using util::cat;
using util::ErrorKind;
using util::Result;

bool is_open_share(double value) { return value > 0 && value < 1; }

// What a series takes as JSON at most: ten restarts and a proof, eight numbers each, and the rest.
constexpr std::size_t k_bytes_of_process = std::size_t{8} * 16;
constexpr std::size_t k_bytes_of_series = 420;
constexpr std::size_t k_most_state = engine::k_max_policy_state;

Result<> check_metric(const StatisticalMetric& metric) {
  if (!(metric.share > 0 && metric.share <= 1)) {
    return util::fail(ErrorKind::invalid,
                      cat("metric ", metric.name, ": share ", metric.share, " is not in (0, 1]"));
  }
  if (metric.limit ? !is_open_share(*metric.limit)
                   : !(metric.slope > 0 && metric.tolerance >= 0 && metric.tolerance < 1)) {
    return util::fail(ErrorKind::invalid,
                      cat("metric ", metric.name, ": its slope, tolerance or limit is no rate"),
                      "Rates are shares of 1: half a point is 0.005.");
  }
  return {};
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %%", 100 * share);
  return text;
}

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

std::string of_counts(const stats::Counts& counts) {
  const double rate = counts.n > 0 ? counts.k / counts.n : 0;
  return cat(std::llround(counts.k), " of ", std::llround(counts.n), " (", percent(rate), ')');
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  static constexpr util::Word<Verdict> k_words[] = {
      {Verdict::advance, "advance"}, {Verdict::hold, "hold"}, {Verdict::rollback, "rollback"}};
  return util::word_of(k_words, verdict);
}

Result<> check_parameters(const StatisticalParameters& parameters) {
  double shares = 0;
  for (const StatisticalMetric& metric : parameters.metrics) {
    KUBIST_CHECK(check_metric(metric));
    shares += metric.share;
  }
  if (std::abs(shares - 1) > 1e-9) {
    return util::fail(ErrorKind::invalid,
                      cat("the shares of the metrics sum to ", shares, ", not to 1"));
  }
  for (const double value : {parameters.alpha, parameters.beta, parameters.budget}) {
    if (!is_open_share(value)) {
      return util::fail(ErrorKind::invalid,
                        cat("alpha, beta or budget is ", value, ", which is not in (0, 1)"));
    }
  }
  if (parameters.clusters == 0 || parameters.steps == 0 || parameters.dropped_windows < 0) {
    return util::fail(ErrorKind::invalid,
                      "there must be a cluster and a step, and no less than 0 dropped windows");
  }
  const std::size_t processes = std::min<std::size_t>(parameters.steps, 10) + 1;
  const std::size_t series = parameters.metrics.size() * parameters.clusters;
  if (series * (processes * k_bytes_of_process + k_bytes_of_series) > k_most_state) {
    return util::fail(ErrorKind::invalid,
                      cat("the evidence on ", parameters.metrics.size(), " metrics and ",
                          parameters.clusters, " clusters does not fit the 16 KiB of a policy"),
                      "Judge fewer metrics, or take fewer steps.");
  }
  return {};
}

std::string explain(const StatisticalParameters& parameters, const StatisticalDecision& decision) {
  const StatisticalEvidence& evidence = decision.evidence;
  std::string text =
      cat(parameters.metrics[evidence.metric].name, ": canary ", of_counts(evidence.step.canary),
          ", stable ", of_counts(evidence.step.stable), " at this step");
  if (decision.reason == reason::k_worse_than_stable ||
      decision.reason == reason::k_budget_exceeded) {
    return cat(text, "; always-valid p ", short_number(evidence.p_value), ", at most ",
               parameters.alpha, " aborts");
  }
  if (decision.verdict == Verdict::advance && evidence.allowed > 0) {
    return cat(text, "; an excess of ", percent(evidence.allowed), " is disproved");
  }
  if (decision.reason == reason::k_undecided && evidence.allowed > 0) {
    return cat(text, "; an excess of ", percent(evidence.allowed), " is disproved to p ",
               short_number(std::min(1.0, std::exp(-evidence.log_proof))), ", at most ",
               parameters.beta, " suffices");
  }
  if (decision.reason == reason::k_too_few) {
    return cat(text, "; ", parameters.minimum_requests, " canary requests and ",
               parameters.minimum_windows, " windows are the least");
  }
  return text;
}

}  // namespace kubist::policies
