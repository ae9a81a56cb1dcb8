#pragma once
#include <cstdint>

namespace kubist::stats {

/// xoshiro256++ (Blackman, Vigna, 2021), seeded by SplitMix64: the same numbers on every machine
/// and compiler, unlike the standard library's distributions. `stream` gives independent sequences
/// of one seed.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0);
  std::uint64_t bits();
  /// In [0, 1), 53 bits.
  double uniform();
  /// A whole number in [0, bound), without bias; bound > 0.
  std::uint64_t below(std::uint64_t bound);
  /// Standard normal (polar method).
  double normal();
  /// Gamma with scale 1 (Marsaglia, Tsang, 2000). Of a shape that is not above 0, or infinite: 0.
  double gamma(double shape);
  /// Beta(a, b), a and b > 0.
  double beta(double a, double b);
  /// Failures among n requests at rate p: inversion for small means, transformed rejection for
  /// large ones (BTRS; Hörmann, 1993). n a whole number up to 2^53.
  double binomial(double n, double p);
  /// As binomial(), but failures of one window are correlated: the rate itself is drawn from the
  /// Beta distribution with mean p and intraclass correlation `correlation` in [0, 1).
  double beta_binomial(double n, double p, double correlation);

 private:
  std::uint64_t m_state[4];
};

}  // namespace kubist::stats
