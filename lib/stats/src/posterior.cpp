#include <algorithm>
#include <vector>

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/beta.hpp>

#include <kubist/stats/distributions.hpp>
#include <kubist/stats/posterior.hpp>

#include "boost_policy.hpp"

namespace kubist::stats {
namespace {

struct BetaShape {
  double a, b;
};

// Where either distribution changes: between these points the integrand is smooth.
std::vector<double> knots(const BetaShape& first, const BetaShape& second) {
  std::vector<double> points{0, 1};
  for (const BetaShape& shape : {first, second}) {
    for (const double p : {1e-15, 1e-9, 1e-5, 1e-3, 0.05, 0.3, 0.7, 0.95}) {
      points.push_back(beta_quantile(p, shape.a, shape.b));
      // The mirrored distribution gives the upper quantiles without loss.
      points.push_back(1 - beta_quantile(p, shape.b, shape.a));
    }
  }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

// The integral of first's density times `weight` of second, in x.
template <class Weight>
double integrate(const BetaShape& first, const BetaShape& second, Weight weight) {
  const BoostPolicy policy;
  const auto integrand = [&](double x) {
    const double density = boost::math::ibeta_derivative(first.a, first.b, x, policy);
    return density > 0 ? density * weight(x) : 0.0;
  };
  using Rule = boost::math::quadrature::gauss<double, 20>;
  const std::vector<double> points = knots(first, second);
  double sum = 0;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    sum += Rule::integrate(integrand, points[i], points[i + 1]);
  }
  return sum;
}

}  // namespace

double posterior_worse(const Counts& canary, const Counts& stable, double prior) {
  const BetaShape c{canary.k + prior, canary.n - canary.k + prior};
  const BetaShape s{stable.k + prior, stable.n - stable.k + prior};
  // The smaller of the two probabilities is the one integrated: 1 minus it loses nothing.
  const double below = integrate(c, s, [&](double x) { return beta_tail(x, s.a, s.b); });
  return below > 0.5 ? integrate(c, s, [&](double x) { return beta_cdf(x, s.a, s.b); }) : 1 - below;
}

}  // namespace kubist::stats
