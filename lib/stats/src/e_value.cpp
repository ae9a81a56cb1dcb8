#include <algorithm>
#include <cmath>

#include <kubist/stats/e_value.hpp>

namespace kubist::stats {
namespace {

// The derivative of the divergence along the line, at x (stable's rate), and its derivative.
struct Slope {
  double value;
  double derivative;
};

Slope slope_at(double x, const Rates& alternative, double share, const Margin& line) {
  const double y = line.at(x);
  const double m = line.slope;
  const double tc = alternative.canary;
  const double ts = alternative.stable;
  const double stable = (x - ts) / (x * (1 - x));
  const double canary = (y - tc) / (y * (1 - y));
  const double stable_curve = ts / (x * x) + (1 - ts) / ((1 - x) * (1 - x));
  const double canary_curve = tc / (y * y) + (1 - tc) / ((1 - y) * (1 - y));
  return {share * m * canary + (1 - share) * stable,
          share * m * m * canary_curve + (1 - share) * stable_curve};
}

// Where the divergence would be least if its curvature were that of the alternative.
double first_guess(const Rates& alternative, double share, const Margin& line) {
  const double canary = share / (alternative.canary * (1 - alternative.canary));
  const double stable = (1 - share) / (alternative.stable * (1 - alternative.stable));
  const double distance = alternative.canary - line.at(alternative.stable);
  return alternative.stable +
         line.slope * canary * distance / (line.slope * line.slope * canary + stable);
}

// ln(a/b) and ln((1-a)/(1-b)), exact for a near b.
double log_ratio(double a, double b) { return std::log1p((a - b) / b); }
double log_ratio_of_rest(double a, double b) { return std::log1p((b - a) / (1 - b)); }

double log_likelihood_ratio(const Counts& counts, double rate, double null_rate) {
  return counts.k * log_ratio(rate, null_rate) +
         (counts.n - counts.k) * log_ratio_of_rest(rate, null_rate);
}

}  // namespace

Rates project(const Rates& alternative, double canary_share, const Margin& line) {
  const double m = line.slope;
  const double d = line.offset;
  const double tc = alternative.canary;
  const double ts = alternative.stable;
  if (m == 0) {
    return {d, ts};
  }
  if (m == 1 && d == 0) {
    const double mean = canary_share * tc + (1 - canary_share) * ts;
    return {mean, mean};
  }
  // The answer lies between the alternative's projections along the two axes, inside the square.
  const double along = (tc - d) / m;
  double low = std::max(std::min(ts, along), std::max(0.0, -d / m));
  double high = std::min(std::max(ts, along), std::min(1.0, (1 - d) / m));
  double x = first_guess(alternative, canary_share, line);
  for (int i = 0; i < 200; ++i) {
    if (!(x > low && x < high)) {
      x = low + (high - low) / 2;
    }
    const Slope slope = slope_at(x, alternative, canary_share, line);
    (slope.value < 0 ? low : high) = x;
    const double next = x - slope.value / slope.derivative;
    const double moved = std::abs(next - x);
    if (moved <= 1e-9 * x || high - low <= 1e-16 * high) {
      // Newton squares the error, so this last step is exact.
      return {line.at(next), next};
    }
    x = next;
  }
  return {line.at(x), x};
}

double log_e_value(const Window& window, const Rates& alternative, const Margin& line) {
  const double nc = window.canary.n;
  const double ns = window.stable.n;
  if (nc <= 0 || (ns <= 0 && line.slope > 0)) {
    return 0;
  }
  const Rates null = project(alternative, nc / (nc + ns), line);
  const double canary = log_likelihood_ratio(window.canary, alternative.canary, null.canary);
  return line.slope == 0
             ? canary
             : canary + log_likelihood_ratio(window.stable, alternative.stable, null.stable);
}

}  // namespace kubist::stats
