#include <algorithm>
#include <cmath>

#include <kubist/stats/confidence_sequence.hpp>

namespace kubist::stats {
namespace {

// rho^2 that makes the interval narrowest at `best_at` values.
double mixing_precision(double alpha, double best_at) {
  const double log_term = -2 * std::log(alpha);
  return (log_term + std::log(log_term + 1)) / best_at;
}

double width(const MeanSequence& sequence, double precision, double log_factor) {
  const double t = sequence.n * precision + 1;
  const double variance = sequence.scatter / sequence.n;
  return std::sqrt(variance * 2 * t / (sequence.n * sequence.n * precision) * log_factor);
}

}  // namespace

void MeanSequence::add(double value) {
  n += 1;
  const double distance = value - mean;
  mean += distance / n;
  scatter += distance * (value - mean);
}

std::optional<double> MeanSequence::half_width(double alpha, double best_at, int minimum) const {
  if (n < minimum || n < 2) {
    return std::nullopt;
  }
  const double precision = mixing_precision(alpha, best_at);
  return width(*this, precision, std::log(std::sqrt(n * precision + 1) / alpha));
}

double MeanSequence::p_value(double alpha, double best_at, int minimum) const {
  if (n < minimum || n < 2 || scatter <= 0) {
    return 1;
  }
  const double precision = mixing_precision(alpha, best_at);
  const double t = n * precision + 1;
  // half_width() solved for the level at which it equals |mean|.
  const double exponent = mean * mean * n * n * n * precision / (scatter * 2 * t);
  return std::min(1.0, std::sqrt(t) * std::exp(-exponent));
}

namespace {

// At another level than the one that it is mixed for.
double half_width_at(const MeanSequence& sequence, double precision, double log_level) {
  const double factor = std::log(sequence.n * precision + 1) / 2 - log_level;
  return width(sequence, precision, std::max(0.0, factor));
}

}  // namespace

std::optional<double> separate_half_width(const MeanSequence& a, const MeanSequence& b,
                                          double alpha, double best_at, int minimum) {
  const auto one = a.half_width(alpha / 2, best_at, minimum);
  const auto other = b.half_width(alpha / 2, best_at, minimum);
  return one && other ? std::optional(*one + *other) : std::nullopt;
}

double separate_p_value(const MeanSequence& a, const MeanSequence& b, double alpha, double best_at,
                        int minimum) {
  if (!separate_half_width(a, b, alpha, best_at, minimum) || a.scatter + b.scatter <= 0) {
    return 1;
  }
  const double precision = mixing_precision(alpha / 2, best_at);
  // The level at which the sum of both is the difference, by bisection of its logarithm.
  double low = -700;
  double high = 0;
  for (int i = 0; i < 60; ++i) {
    const double level = (low + high) / 2;
    const double both = half_width_at(a, precision, level) + half_width_at(b, precision, level);
    (both > std::abs(a.mean - b.mean) ? low : high) = level;
  }
  return std::min(1.0, 2 * std::exp(high));
}

}  // namespace kubist::stats
