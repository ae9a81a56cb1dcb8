#include <algorithm>
#include <cmath>

#include <kubist/simulation/simulated_traffic.hpp>

namespace kubist::simulation {
namespace {

class ModelTraffic final : public Traffic {
 public:
  ModelTraffic(const TrafficModel& model, std::chrono::seconds longest)
      : m_model(model), m_longest(static_cast<double>(longest.count())) {}

  std::optional<SimulatedAnswers> draw(stats::Random& random,
                                       const SimulatedSpan& span) const override {
    const double progress = std::min(1.0, static_cast<double>(span.from.count()) / m_longest);
    const double factor = 1 + (m_model.rising - 1) * progress;
    const double stable_rate = m_model.stable_rate * factor;
    SimulatedAnswers answers;
    answers.bad = span.step >= m_model.bad_from;
    const double canary_rate = answers.bad ? m_model.canary_rate * factor : stable_rate;
    const double all = requests_until(span.to) - requests_until(span.from);
    const double n = random.binomial(all, span.weight);
    answers.canary = version(random, n, canary_rate);
    answers.stable = version(random, all - n, stable_rate);
    answers.expected_errors = n * stable_rate;
    return answers;
  }
  double stable_rate() const override { return m_model.stable_rate; }
  double canary_rate() const override { return m_model.canary_rate; }
  double requests_per_second() const override { return m_model.requests_per_second; }

 private:
  double requests_until(std::chrono::seconds time) const {
    return std::floor(m_model.requests_per_second * static_cast<double>(time.count()));
  }
  SimulatedCounts version(stats::Random& random, double n, double rate) const {
    return {n, random.beta_binomial(n, std::min(rate, 1.0), m_model.correlation), {}};
  }

  TrafficModel m_model;
  double m_longest;
};

bool same_bounds(const std::vector<LatencyCount>& a, const std::vector<LatencyCount>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.le_ms == y.le_ms; });
}

}  // namespace

SimulatedCounts& operator+=(SimulatedCounts& sum, const SimulatedCounts& more) {
  if (sum.requests == 0) {
    return sum = more;
  }
  if (more.requests == 0) {
    return sum;
  }
  sum.requests += more.requests;
  sum.errors += more.errors;
  if (!same_bounds(sum.latency, more.latency)) {
    sum.latency.clear();
  }
  for (std::size_t i = 0; i < sum.latency.size(); ++i) {
    sum.latency[i].count += more.latency[i].count;
  }
  return sum;
}

std::shared_ptr<const Traffic> make_traffic(const TrafficModel& model,
                                            std::chrono::seconds longest) {
  return std::make_shared<ModelTraffic>(model, longest);
}

}  // namespace kubist::simulation
