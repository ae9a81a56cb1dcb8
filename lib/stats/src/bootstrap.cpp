#include <algorithm>
#include <cmath>
#include <vector>

#include <kubist/stats/bootstrap.hpp>
#include <kubist/stats/sampling.hpp>

namespace kubist::stats {
namespace {

double mean_of_resample(std::span<const double> sample, Random& random) {
  double sum = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    sum += sample[random.below(sample.size())];
  }
  return sum / static_cast<double>(sample.size());
}

double percentile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - std::floor(at)) * (sorted[above] - sorted[below]);
}

}  // namespace

Interval bootstrap_difference(std::span<const double> first, std::span<const double> second,
                              double level, int resamples, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> differences;
  differences.reserve(static_cast<std::size_t>(resamples));
  for (int i = 0; i < resamples; ++i) {
    const double mean = mean_of_resample(first, random);
    differences.push_back(mean - mean_of_resample(second, random));
  }
  std::sort(differences.begin(), differences.end());
  return {percentile(differences, (1 - level) / 2), percentile(differences, (1 + level) / 2)};
}

}  // namespace kubist::stats
