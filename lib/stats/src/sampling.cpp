#include <algorithm>
#include <bit>
#include <cmath>

#include <kubist/stats/sampling.hpp>

namespace kubist::stats {
namespace {

std::uint64_t split_mix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

// ln k! minus Stirling's main terms, for the rejection of BTRS.
double stirling_rest(double k) {
  static constexpr double k_table[] = {
      0.08106146679532726,  0.04134069595540929, 0.02767792568499834, 0.02079067210376509,
      0.01664469118982119,  0.01387612882307075, 0.01189670994589177, 0.01041126526197209,
      0.009255462182712733, 0.008330563433362871};
  if (k <= 9) {
    return k_table[static_cast<int>(k)];
  }
  const double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

// The sum of probabilities from 0 upwards; p <= 1/2 and a mean of some 10 at most.
double binomial_by_inversion(Random& random, double n, double p) {
  const double odds = p / (1 - p);
  double probability = std::exp(n * std::log1p(-p));
  double u = random.uniform();
  double k = 0;
  while (u > probability && k < n) {
    u -= probability;
    probability *= odds * (n - k) / (k + 1);
    k += 1;
  }
  return k;
}

double binomial_by_rejection(Random& random, double n, double p) {
  const double deviation = std::sqrt(n * p * (1 - p));
  const double b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double c = n * p + 0.5;
  const double v_r = 0.92 - 4.2 / b;
  const double alpha = (2.83 + 5.1 / b) * deviation;
  const double odds = p / (1 - p);
  const double mode = std::floor((n + 1) * p);
  while (true) {
    const double u = random.uniform() - 0.5;
    double v = random.uniform();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + c);
    if (us >= 0.07 && v <= v_r) {
      return k;
    }
    if (k < 0 || k > n) {
      continue;
    }
    v = std::log(v * alpha / (a / (us * us) + b));
    const double bound = (mode + 0.5) * std::log((mode + 1) / (odds * (n - mode + 1))) +
                         (n + 1) * std::log((n - mode + 1) / (n - k + 1)) +
                         (k + 0.5) * std::log(odds * (n - k + 1) / (k + 1)) + stirling_rest(mode) +
                         stirling_rest(n - mode) - stirling_rest(k) - stirling_rest(n - k);
    if (v <= bound) {
      return k;
    }
  }
}

}  // namespace

Random::Random(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t mixed = seed;
  std::uint64_t state = split_mix(mixed) ^ (stream * 0xd1342543de82ef95U + 1);
  for (std::uint64_t& word : m_state) {
    word = split_mix(state);
  }
}

std::uint64_t Random::bits() {
  const std::uint64_t result = std::rotl(m_state[0] + m_state[3], 23) + m_state[0];
  const std::uint64_t t = m_state[1] << 17;
  m_state[2] ^= m_state[0];
  m_state[3] ^= m_state[1];
  m_state[1] ^= m_state[2];
  m_state[0] ^= m_state[3];
  m_state[2] ^= t;
  m_state[3] = std::rotl(m_state[3], 45);
  return result;
}

double Random::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

std::uint64_t Random::below(std::uint64_t bound) {
  const std::uint64_t uneven = (0 - bound) % bound;  // 2^64 mod bound
  std::uint64_t value = bits();
  while (value < uneven) {
    value = bits();
  }
  return value % bound;
}

double Random::normal() {
  while (true) {
    const double x = 2 * uniform() - 1;
    const double y = 2 * uniform() - 1;
    const double square = x * x + y * y;
    if (square > 0 && square < 1) {
      return x * std::sqrt(-2 * std::log(square) / square);
    }
  }
}

double Random::gamma(double shape) {
  if (!(shape > 0) || std::isinf(shape)) {
    return 0;
  }
  if (shape < 1) {
    const double u = 1 - uniform();
    return gamma(shape + 1) * std::pow(u, 1 / shape);
  }
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {
    const double z = normal();
    const double root = 1 + c * z;
    if (root <= 0) {
      continue;
    }
    const double v = root * root * root;
    const double u = 1 - uniform();
    if (std::log(u) < z * z / 2 + d - d * v + d * std::log(v)) {
      return d * v;
    }
  }
}

double Random::beta(double a, double b) {
  const double x = gamma(a);
  const double y = gamma(b);
  // Both can underflow where both shapes are tiny: then it is one of the ends.
  return x + y > 0 ? x / (x + y) : (uniform() < a / (a + b) ? 1.0 : 0.0);
}

double Random::binomial(double n, double p) {
  if (n <= 0 || p <= 0) {
    return 0;
  }
  if (p > 0.5) {
    return n - binomial(n, std::max(0.0, 1 - p));
  }
  return n * p < 10 ? binomial_by_inversion(*this, n, p) : binomial_by_rejection(*this, n, p);
}

double Random::beta_binomial(double n, double p, double correlation) {
  if (correlation <= 0 || p <= 0 || p >= 1) {
    return binomial(n, p);
  }
  const double size = (1 - correlation) / correlation;
  return binomial(n, beta(p * size, (1 - p) * size));
}

}  // namespace kubist::stats
