#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <kubist/stats/bootstrap.hpp>
#include <kubist/stats/distributions.hpp>
#include <kubist/stats/sampling.hpp>
#include <kubist/stats/tests.hpp>

using namespace kubist::stats;

namespace {

constexpr int k_draws = 40000;

template <class Draw>
Moments moments_of(Draw draw) {
  std::vector<double> values;
  for (int i = 0; i < k_draws; ++i) {
    values.push_back(draw());
  }
  return moments(values);
}

// Six standard errors of the mean; the variance within 10 %.
void check_moments(const Moments& found, double mean, double variance) {
  CHECK(std::abs(found.mean - mean) < 6 * std::sqrt(variance / k_draws));
  CHECK(found.variance == doctest::Approx(variance).epsilon(0.1));
}

}  // namespace

TEST_CASE("sampling: the generator is xoshiro256++, and streams of one seed differ") {
  Random a(1);
  Random b(1);
  Random c(1, 1);
  Random d(2);
  const std::uint64_t first = a.bits();
  CHECK(first == b.bits());
  CHECK(first != c.bits());
  CHECK(first != d.bits());
}

TEST_CASE("sampling: normal, gamma and beta have their means and variances") {
  Random random(7);
  check_moments(moments_of([&] { return random.normal(); }), 0, 1);
  for (const double shape : {0.3, 1.0, 12.5}) {
    check_moments(moments_of([&] { return random.gamma(shape); }), shape, shape);
  }
  for (const double none : {0.0, -1e9, -1e17, std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity()}) {
    CHECK(random.gamma(none) == 0);
  }
  check_moments(moments_of([&] { return random.beta(2, 6); }), 0.25, 0.25 * 0.75 / 9);
  check_moments(moments_of([&] { return static_cast<double>(random.below(6)); }), 2.5, 35.0 / 12);
}

TEST_CASE("sampling: binomial numbers follow the binomial distribution, by both methods") {
  Random random(3);
  struct Case {
    double n, p;
  };
  for (const auto& [n, p] : {Case{20, 0.05}, Case{1000, 0.001}, Case{60, 0.3}, Case{500, 0.9},
                             Case{100000, 0.02}, Case{7, 0.5}}) {
    CAPTURE(n);
    CAPTURE(p);
    check_moments(moments_of([&] { return random.binomial(n, p); }), n * p, n * p * (1 - p));
    // The share at or below some points, within six standard errors.
    for (const double at : {std::floor(n * p), std::floor(n * p + std::sqrt(n * p * (1 - p)))}) {
      int below = 0;
      for (int i = 0; i < k_draws; ++i) {
        below += random.binomial(n, p) <= at ? 1 : 0;
      }
      const double expected = binomial_cdf(at, n, p);
      const double error = std::sqrt(expected * (1 - expected) / k_draws) + 1e-9;
      CHECK(std::abs(static_cast<double>(below) / k_draws - expected) < 6 * error);
    }
  }
  CHECK(random.binomial(100, 0) == 0);
  CHECK(random.binomial(100, 1) == 100);
  CHECK(random.binomial(0, 0.5) == 0);
}

TEST_CASE("sampling: beta-binomial numbers have the variance of their correlation") {
  Random random(11);
  const double n = 100;
  const double p = 0.2;
  const double rho = 0.05;
  check_moments(moments_of([&] { return random.beta_binomial(n, p, rho); }), n * p,
                n * p * (1 - p) * (1 + (n - 1) * rho));
}

TEST_CASE("bootstrap: the interval is that of the normal approximation, and the seed's alone") {
  Random random(5);
  std::vector<double> first;
  std::vector<double> second;
  for (int i = 0; i < 400; ++i) {
    first.push_back(random.normal() + 1);
    second.push_back(random.normal());
  }
  const Interval interval = bootstrap_difference(first, second, 0.95, 4000, 1);
  const Moments a = moments(first);
  const Moments b = moments(second);
  const double width = 1.96 * std::sqrt((a.variance + b.variance) / 400);
  CHECK(interval.low == doctest::Approx(a.mean - b.mean - width).epsilon(0.05));
  CHECK(interval.high == doctest::Approx(a.mean - b.mean + width).epsilon(0.05));
  CHECK(bootstrap_difference(first, second, 0.95, 4000, 1).low == interval.low);
  CHECK(bootstrap_difference(first, second, 0.95, 4000, 2).low != interval.low);
}
