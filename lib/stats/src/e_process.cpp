#include <algorithm>
#include <cmath>
#include <limits>

#include <kubist/stats/e_process.hpp>

namespace kubist::stats {
namespace {

// Rates of alternatives stay away from 0 and 1, where one failure would be infinite evidence.
constexpr double k_highest_rate = 0.995;
constexpr double k_lowest_share = 1e-3;  // of the line

double alternative_rate(const ETest& test, double line, double distance) {
  return test.side == Side::above
             ? std::min(line + distance, k_highest_rate)
             : std::min(std::max(line - distance, k_lowest_share * line), k_highest_rate);
}

double log_sum(double a, double b) {
  const double larger = std::max(a, b);
  return larger == -std::numeric_limits<double>::infinity()
             ? larger
             : larger + std::log(std::exp(a - larger) + std::exp(b - larger));
}

double log_mean(std::span<const double> logs) {
  const double largest = *std::max_element(logs.begin(), logs.end());
  double sum = 0;
  for (const double log : logs) {
    sum += std::exp(log - largest);
  }
  return largest + std::log(sum / static_cast<double>(logs.size()));
}

double log_joint_of_step(std::span<const RestartedEProcess> clusters, std::size_t alternatives,
                         std::size_t step) {
  if (clusters.size() == 1) {
    return clusters[0].processes[step].log_value(alternatives);
  }
  double product = 0;
  double sum = -std::numeric_limits<double>::infinity();
  for (const RestartedEProcess& cluster : clusters) {
    const double value = cluster.processes[step].log_value(alternatives);
    product += value;
    sum = log_sum(sum, value);
  }
  const double mean = sum - std::log(static_cast<double>(clusters.size()));
  return log_sum(product, mean) - std::log(2.0);
}

}  // namespace

ETest worse_than(const Margin& margin) {
  return {Side::above, margin, {0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64}, 8};
}

ETest better_than(const Margin& margin, double allowed) {
  const Margin line{margin.slope, margin.offset + allowed};
  return {Side::below, line, {allowed, 0.75 * allowed, 0.5 * allowed}, 3};
}

LogTerms log_e_values(const ETest& test, const Window& window, const Counts& past) {
  LogTerms terms{};
  const double stable_rate = shrunk_rate(past);
  const double line = test.margin.at(stable_rate);
  const bool empty_null = test.side == Side::below && test.margin.offset >= 1;
  for (std::size_t j = 0; j < test.alternatives && !empty_null; ++j) {
    const double rate = alternative_rate(test, line, test.distances[j]);
    if (test.side == Side::above ? rate > line : rate < line) {
      terms[j] = log_e_value(window, {rate, stable_rate}, test.margin);
    }
  }
  return terms;
}

void EProcess::add(const LogTerms& terms) {
  for (std::size_t j = 0; j < terms.size(); ++j) {
    log_products[j] += terms[j];
  }
}

double EProcess::log_value(std::size_t alternatives) const {
  return log_mean(std::span(log_products).first(alternatives));
}

void RestartedEProcess::begin(std::size_t step) {
  if (processes.size() <= step) {
    processes.resize(step + 1);
  }
}

void RestartedEProcess::add(const LogTerms& terms) {
  for (EProcess& process : processes) {
    process.add(terms);
  }
}

double log_joint_value(std::span<const RestartedEProcess> clusters, std::size_t alternatives,
                       std::size_t planned) {
  const std::size_t begun = clusters.empty() ? 0 : clusters[0].processes.size();
  double sum = begun < planned ? std::log(static_cast<double>(planned - begun))
                               : -std::numeric_limits<double>::infinity();
  for (std::size_t step = 0; step < begun; ++step) {
    sum = log_sum(sum, log_joint_of_step(clusters, alternatives, step));
  }
  return sum - std::log(static_cast<double>(std::max(planned, begun)));
}

double log_weighted_sum(std::span<const double> logs, std::span<const double> weights) {
  double sum = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < logs.size(); ++i) {
    sum = log_sum(sum, logs[i] + std::log(weights[i]));
  }
  return sum;
}

double always_valid_p(double largest_log_e) { return std::min(1.0, std::exp(-largest_log_e)); }

}  // namespace kubist::stats
