#include <algorithm>
#include <cmath>

#include <kubist/stats/decision_size.hpp>
#include <kubist/stats/distributions.hpp>

namespace kubist::stats {
namespace {

constexpr double k_most = 1e12;

class Planner {
 public:
  Planner(const ETest& test, const Expectation& truth, double threshold)
      : m_test(test), m_truth(truth), m_log_threshold(std::log(threshold)) {}

  // The probability that n canary requests, looked at once, reach the threshold.
  double chance(double n) const {
    const bool more_is_evidence = m_test.side == Side::above;
    // The evidence is monotone in the failures k, so there is one k from which on it suffices.
    if (!reached(n, more_is_evidence ? n : 0)) {
      return 0;
    }
    double fails = more_is_evidence ? -1 : n + 1;
    double suffices = more_is_evidence ? n : 0;
    while (std::abs(suffices - fails) > 1) {
      const double middle = std::floor((fails + suffices) / 2);
      (reached(n, middle) ? suffices : fails) = middle;
    }
    return more_is_evidence ? 1 - binomial_cdf(suffices - 1, n, m_truth.canary_rate)
                            : binomial_cdf(suffices, n, m_truth.canary_rate);
  }

 private:
  bool reached(double n, double k) const {
    const double stable = n * (1 - m_truth.canary_share) / m_truth.canary_share;
    // A long past at stable's rate: the alternatives lie where they will in the end.
    const Counts past{k_most, k_most * m_truth.stable_rate};
    EProcess process;
    process.add(log_e_values(m_test, {{n, k}, {stable, stable * m_truth.stable_rate}}, past));
    return process.log_value(m_test.alternatives) >= m_log_threshold;
  }

  const ETest& m_test;
  const Expectation& m_truth;
  double m_log_threshold;
};

}  // namespace

std::optional<double> canary_requests_needed(const ETest& test, const Expectation& truth,
                                             double threshold, double quantile) {
  const Planner planner(test, truth, threshold);
  double enough = 1;
  while (planner.chance(enough) < quantile) {
    enough *= 2;
    if (enough > k_most) {
      return std::nullopt;
    }
  }
  double short_of = std::floor(enough / 2);
  while (enough - short_of > 1) {
    const double middle = std::floor((enough + short_of) / 2);
    (planner.chance(middle) >= quantile ? enough : short_of) = middle;
  }
  return enough;
}

}  // namespace kubist::stats
