#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>

#include <kubist/stats/distributions.hpp>

#include "boost_policy.hpp"

namespace kubist::stats {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();
const BoostPolicy k_policy;

bool is_probability(double p) { return p >= 0 && p <= 1; }

/// Boost's continued fraction takes some (a + b)^(1/3) terms, without a limit: minutes at 1e27. A
/// distribution of 1e12 is as good as a point.
std::pair<double, double> within_reach(double a, double b) {
  constexpr double k_reach = 1e12;
  const double scale = a + b > k_reach ? k_reach / (a + b) : 1;
  return {a * scale, b * scale};
}

using StudentsT = boost::math::students_t_distribution<double, BoostPolicy>;

}  // namespace

double normal_tail(double z) { return std::erfc(z / std::numbers::sqrt2) / 2; }

double t_cdf(double t, double freedom) {
  return freedom > 0 ? boost::math::cdf(StudentsT(freedom), t) : k_nan;
}
double t_tail(double t, double freedom) { return t_cdf(-t, freedom); }
double t_quantile(double p, double freedom) {
  return freedom > 0 && is_probability(p) ? boost::math::quantile(StudentsT(freedom), p) : k_nan;
}

double beta_cdf(double x, double a, double b) {
  const auto [c, d] = within_reach(a, b);
  return c > 0 && d > 0 && is_probability(x) ? boost::math::ibeta(c, d, x, k_policy) : k_nan;
}
double beta_tail(double x, double a, double b) {
  const auto [c, d] = within_reach(a, b);
  return c > 0 && d > 0 && is_probability(x) ? boost::math::ibetac(c, d, x, k_policy) : k_nan;
}
double beta_quantile(double p, double a, double b) {
  const auto [c, d] = within_reach(a, b);
  return c > 0 && d > 0 && is_probability(p) ? boost::math::ibeta_inv(c, d, p, k_policy) : k_nan;
}

double binomial_cdf(double k, double n, double p) {
  if (k < 0) {
    return 0;
  }
  return k >= n ? 1 : beta_tail(p, k + 1, n - k);
}

double rate_upper_bound(double k, double n, double level) {
  return k >= n ? 1 : beta_quantile(level, k + 1, n - k);
}

}  // namespace kubist::stats
