#pragma once

namespace kubist::stats {

/// Failures among requests. Real numbers, because counts are deflated (design_effect.hpp).
struct Counts {
  double n = 0;  ///< requests, >= 0
  double k = 0;  ///< failures among them (errors, or slower than a bound), 0 to n

  Counts& operator+=(const Counts& other) {
    n += other.n;
    k += other.k;
    return *this;
  }
  bool operator==(const Counts&) const = default;
};

/// What both versions did between two evaluations.
struct Window {
  Counts canary, stable;
};

/// (k + 1/2) / (n + 1): the failure rate, never 0 or 1 (Krichevsky and Trofimov, 1981).
inline double shrunk_rate(const Counts& counts) { return (counts.k + 0.5) / (counts.n + 1); }

}  // namespace kubist::stats
