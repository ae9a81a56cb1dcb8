#pragma once
#include <optional>

#include <kubist/stats/counts.hpp>

namespace kubist::stats {

/// Estimates how much failures come in bursts, from the stable version's windows. Pearson's
/// statistic of a common rate, X2 = sum (k - n p)^2 / (n p (1 - p)), is about T - 1 when requests
/// fail independently and grows with the intraclass correlation rho.
/// Rao, Scott, "A simple method for the analysis of clustered binary data", 1992. Approximate: a
/// base rate that moves looks like bursts (the tests then get slower, not wrong).
struct Overdispersion {
  double windows = 0;  ///< T, windows with requests
  double requests = 0;
  double mean = 0;     ///< the common rate p
  double scatter = 0;  ///< sum of n * (k/n - p)^2

  /// Adds a window; one without requests is ignored.
  void add(const Counts& window);
  /// rho = clamp((X2 / (T - 1) - 1) / (mean n - 1), 0, 1); nothing before `minimum` windows, 0
  /// where there was no failure or nothing but failures.
  std::optional<double> correlation(int minimum = 30) const;
};

/// D = 1 + (n - 1) * rho, at least 1: how many requests tell as much as one independent one.
double design_effect(double n, double correlation);
/// n / D and k / D.
Counts deflate(const Counts& counts, double correlation);

}  // namespace kubist::stats
