#include <algorithm>

#include <kubist/stats/design_effect.hpp>

namespace kubist::stats {

void Overdispersion::add(const Counts& window) {
  if (window.n <= 0) {
    return;
  }
  // West's weighted update: sums of k^2/n would cancel for many requests.
  const double before = requests;
  const double distance = window.k / window.n - mean;
  windows += 1;
  requests += window.n;
  mean += distance * window.n / requests;
  scatter += distance * distance * window.n * before / requests;
}

std::optional<double> Overdispersion::correlation(int minimum) const {
  if (windows < minimum || windows < 2) {
    return std::nullopt;
  }
  const double variance = mean * (1 - mean);
  const double mean_requests = requests / windows;
  if (variance <= 0 || mean_requests <= 1) {
    return 0;
  }
  const double chi_squared = scatter / variance;
  return std::clamp((chi_squared / (windows - 1) - 1) / (mean_requests - 1), 0.0, 1.0);
}

double design_effect(double n, double correlation) {
  return std::max(1.0, 1 + (n - 1) * correlation);
}

Counts deflate(const Counts& counts, double correlation) {
  const double effect = design_effect(counts.n, correlation);
  return {counts.n / effect, counts.k / effect};
}

}  // namespace kubist::stats
