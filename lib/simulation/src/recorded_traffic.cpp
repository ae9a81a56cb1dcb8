#include <algorithm>
#include <cmath>

#include <kubist/simulation/simulated_traffic.hpp>
#include <kubist/stats/design_effect.hpp>

namespace kubist::simulation {
namespace {

constexpr int k_windows_for_correlation = 10;
constexpr double k_most_correlation = 0.999;

/// A version's mean over the recording, and how many requests it is worth as a prior; none: it is
/// certain.
struct Prior {
  double mean = 0;
  std::optional<double> worth;
};

Prior prior_of(const stats::Overdispersion& windows) {
  const double correlation =
      std::min(windows.correlation(k_windows_for_correlation).value_or(0.0), k_most_correlation);
  return {windows.mean,
          correlation > 0 ? std::optional((1 - correlation) / correlation) : std::nullopt};
}

double posterior_mean(const Prior& prior, double prior_mean, double n, double k) {
  return prior.worth ? (k + prior_mean * *prior.worth) / (n + *prior.worth) : prior_mean;
}

/// One version, as it was recorded.
class Version {
 public:
  Version(const std::vector<RecordedWindow>& windows, SimulatedCounts RecordedWindow::*version)
      : m_version(version) {
    for (const RecordedWindow& window : windows) {
      m_errors.add({(window.*version).requests, (window.*version).errors});
      add_latency((window.*version).latency);
    }
    m_prior = prior_of(m_errors);
    if (!m_latency.empty()) {
      find_latency_prior(windows);
    }
  }

  double rate() const { return m_prior.mean; }
  double rate_in(const RecordedWindow& window) const {
    const SimulatedCounts& seen = window.*m_version;
    return posterior_mean(m_prior, m_prior.mean, seen.requests, seen.errors);
  }

  SimulatedCounts draw(stats::Random& random, const RecordedWindow& window, double n) const {
    const SimulatedCounts& seen = window.*m_version;
    const double correlation = m_prior.worth ? 1 / (seen.requests + *m_prior.worth + 1) : 0;
    SimulatedCounts drawn{n, random.beta_binomial(n, rate_in(window), correlation), {}};
    double left = n;
    double share_before = 0;
    for (std::size_t i = 0; n > 0 && i < m_latency.size(); ++i) {
      const double share = share_within(seen.latency, i);
      const double here = share_before < 1 ? (share - share_before) / (1 - share_before) : 0;
      left -= random.binomial(left, std::clamp(here, 0.0, 1.0));
      drawn.latency.push_back({m_latency[i].le_ms, n - left});
      share_before = share;
    }
    return drawn;
  }

 private:
  /// Those with other bounds than the first are left out.
  void add_latency(const std::vector<LatencyCount>& latency) {
    if (!is_timed(latency)) {
      return;
    }
    if (m_latency.empty()) {
      m_latency = latency;
    } else if (fits(latency)) {
      for (std::size_t i = 0; i < latency.size(); ++i) {
        m_latency[i].count += latency[i].count;
      }
    }
  }
  static bool is_timed(const std::vector<LatencyCount>& latency) {
    return !latency.empty() && latency.back().count > 0;
  }
  bool fits(const std::vector<LatencyCount>& latency) const {
    return std::equal(latency.begin(), latency.end(), m_latency.begin(), m_latency.end(),
                      [](const auto& x, const auto& y) { return x.le_ms == y.le_ms; });
  }
  /// How much latencies move is told by the requests above the median's bucket.
  void find_latency_prior(const std::vector<RecordedWindow>& windows) {
    const double half = m_latency.back().count / 2;
    const auto median = static_cast<std::size_t>(
        std::find_if(m_latency.begin(), m_latency.end(),
                     [&](const LatencyCount& bucket) { return bucket.count >= half; }) -
        m_latency.begin());
    stats::Overdispersion slower;
    for (const RecordedWindow& window : windows) {
      const auto& latency = (window.*m_version).latency;
      if (fits(latency)) {
        slower.add({latency.back().count, latency.back().count - latency[median].count});
      }
    }
    m_latency_prior = prior_of(slower);
  }
  double share_within(const std::vector<LatencyCount>& seen, std::size_t bucket) const {
    const double mean = m_latency[bucket].count / m_latency.back().count;
    return fits(seen) ? posterior_mean(m_latency_prior, mean, seen.back().count, seen[bucket].count)
                      : mean;
  }

  SimulatedCounts RecordedWindow::*m_version;
  std::vector<LatencyCount> m_latency;  ///< of all windows
  stats::Overdispersion m_errors;
  Prior m_prior, m_latency_prior;
};

class RecordedTraffic final : public Traffic {
 public:
  explicit RecordedTraffic(std::vector<RecordedWindow> windows)
      : m_windows(std::move(windows)),
        m_stable(m_windows, &RecordedWindow::stable),
        m_canary(m_windows, &RecordedWindow::canary) {}

  std::optional<SimulatedAnswers> draw(stats::Random& random,
                                       const SimulatedSpan& span) const override {
    const auto from = static_cast<double>(span.from.count());
    const auto to = static_cast<double>(span.to.count());
    if (to > m_windows.back().to) {
      return std::nullopt;
    }
    SimulatedAnswers answers;
    auto window =
        std::upper_bound(m_windows.begin(), m_windows.end(), from,
                         [](double time, const RecordedWindow& each) { return time < each.to; });
    for (; window != m_windows.end() && window->from < to; ++window) {
      const double all = requests_until(*window, to) - requests_until(*window, from);
      const double n = random.binomial(all, span.weight);
      answers.canary += m_canary.draw(random, *window, n);
      answers.stable += m_stable.draw(random, *window, all - n);
      answers.expected_errors += n * m_stable.rate_in(*window);
    }
    return answers;
  }
  double stable_rate() const override { return m_stable.rate(); }
  double canary_rate() const override { return m_canary.rate(); }
  double requests_per_second() const override {
    double all = 0;
    for (const RecordedWindow& window : m_windows) {
      all += window.stable.requests + window.canary.requests;
    }
    return all / m_windows.back().to;
  }

 private:
  static double requests_until(const RecordedWindow& window, double time) {
    const double share = std::clamp((time - window.from) / (window.to - window.from), 0.0, 1.0);
    return std::floor((window.stable.requests + window.canary.requests) * share);
  }

  std::vector<RecordedWindow> m_windows;
  Version m_stable, m_canary;
};

}  // namespace

std::shared_ptr<const Traffic> make_recorded_traffic(std::vector<RecordedWindow> windows) {
  return std::make_shared<RecordedTraffic>(std::move(windows));
}

}  // namespace kubist::simulation
