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

std::optional<double> MeanSequence::one_sided(double alpha, double best_at, int minimum) const {
  if (n < minimum || n < 2) {
    return std::nullopt;
  }
  const double precision = mixing_precision(2 * alpha, best_at);
  return width(*this, precision, std::log1p(std::sqrt(n * precision + 1) / (2 * alpha)));
}

}  // namespace kubist::stats
