#include <algorithm>
#include <cmath>

#include <kubist/stats/decision_size.hpp>
#include <kubist/stats/distributions.hpp>

namespace kubist::stats {
namespace {

constexpr double k_most = 1e12;

// The smallest whole number, `from` or more, that `holds`, if with it all that are larger do;
// nothing beyond k_most.
template <class Predicate>
std::optional<double> first_that(double from, Predicate holds) {
  double fails = from - 1;
  double found = from;
  while (!holds(found)) {
    fails = found;
    found = from + 2 * (found - from) + 1;
    if (found > k_most) {
      return std::nullopt;
    }
  }
  while (found - fails > 1) {
    const double middle = std::floor((fails + found) / 2);
    (holds(middle) ? found : fails) = middle;
  }
  return found;
}

// The chance to reach the threshold is a saw over the number of requests n: it jumps where one
// failure more (or less) becomes decisive. So the teeth are searched, one for each number of
// failures k, and n only within the right one.
class Planner {
 public:
  Planner(const ETest& test, const Expectation& truth, double threshold)
      : m_test(test), m_truth(truth), m_log_threshold(std::log(threshold)) {}

  std::optional<double> smallest(double quantile) const {
    const auto failures = first_that(more_is_evidence() ? 1 : 0, [&](double k) {
      const auto n = peak(k);
      return !n || chance(*n, k) >= quantile;
    });
    if (!failures || !more_is_evidence()) {
      return failures ? peak(*failures) : std::nullopt;
    }
    return first_that(*failures, [&](double n) { return chance(n, *failures) >= quantile; });
  }

 private:
  bool more_is_evidence() const { return m_test.side == Side::above; }

  // The n at which k failures, or what is more evidence, are most likely and still decisive.
  std::optional<double> peak(double k) const {
    if (more_is_evidence()) {
      const auto too_many = first_that(k, [&](double n) { return !reached(n, k); });
      return too_many.value_or(k_most) - 1;
    }
    return first_that(std::max(k, 1.0), [&](double n) { return reached(n, k); });
  }

  double chance(double n, double k) const {
    if (!more_is_evidence()) {
      return binomial_cdf(k, n, m_truth.canary_rate);
    }
    return k > n ? 0 : 1 - binomial_cdf(k - 1, n, m_truth.canary_rate);
  }

  // Whether k failures of n canary requests, looked at once, reach the threshold.
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
  return Planner(test, truth, threshold).smallest(quantile);
}

}  // namespace kubist::stats
