#include <algorithm>
#include <cmath>

#include <kubist/stats/distributions.hpp>
#include <kubist/stats/tests.hpp>

namespace kubist::stats {

TestResult proportions_z_test(const Counts& canary, const Counts& stable) {
  if (canary.n <= 0 || stable.n <= 0) {
    return {};
  }
  const double pooled = (canary.k + stable.k) / (canary.n + stable.n);
  const double variance = pooled * (1 - pooled) * (1 / canary.n + 1 / stable.n);
  if (!(variance > 0)) {
    return {};
  }
  const double z = (canary.k / canary.n - stable.k / stable.n) / std::sqrt(variance);
  return {z, normal_tail(z), 2 * normal_tail(std::abs(z))};
}

Moments moments(std::span<const double> sample) {
  Moments result;
  double scatter = 0;
  for (const double value : sample) {
    result.n += 1;
    const double distance = value - result.mean;
    result.mean += distance / result.n;
    scatter += distance * (value - result.mean);
  }
  result.variance = result.n > 1 ? scatter / (result.n - 1) : 0;
  return result;
}

WelchResult welch_t_test(const Moments& first, const Moments& second) {
  WelchResult result;
  if (first.n < 2 || second.n < 2) {
    return result;
  }
  const double a = first.variance / first.n;
  const double b = second.variance / second.n;
  if (!(a + b > 0)) {
    return result;
  }
  result.statistic = (first.mean - second.mean) / std::sqrt(a + b);
  result.freedom = (a + b) * (a + b) / (a * a / (first.n - 1) + b * b / (second.n - 1));
  result.greater = t_tail(result.statistic, result.freedom);
  result.two_sided = 2 * t_tail(std::abs(result.statistic), result.freedom);
  return result;
}

TestResult mann_whitney_sorted(std::span<const double> first, std::span<const double> second) {
  const double n1 = static_cast<double>(first.size());
  const double n2 = static_cast<double>(second.size());
  if (first.empty() || second.empty()) {
    return {};
  }
  // One walk over both: U counts for each value of the first those of the second below it, and half
  // of the equal ones.
  double u = 0;
  double ties = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < first.size() || j < second.size()) {
    const double value =
        j == second.size() || (i < first.size() && first[i] <= second[j]) ? first[i] : second[j];
    const std::size_t i_begin = i;
    const std::size_t j_begin = j;
    while (i < first.size() && first[i] == value) {
      ++i;
    }
    while (j < second.size() && second[j] == value) {
      ++j;
    }
    const double in_first = static_cast<double>(i - i_begin);
    const double in_second = static_cast<double>(j - j_begin);
    u += in_first * (static_cast<double>(j_begin) + in_second / 2);
    const double tied = in_first + in_second;
    ties += tied * tied * tied - tied;
  }
  const double n = n1 + n2;
  const double variance = n1 * n2 / 12 * ((n + 1) - ties / (n * (n - 1)));
  if (!(variance > 0)) {
    return {.statistic = u};
  }
  const double deviation = std::sqrt(variance);
  const double excess = u - n1 * n2 / 2;
  return {u, normal_tail((excess - 0.5) / deviation),
          std::min(1.0, 2 * normal_tail((std::abs(excess) - 0.5) / deviation))};
}

}  // namespace kubist::stats
