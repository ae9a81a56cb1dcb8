#include <algorithm>
#include <cmath>

#include <kubist/policies/statistical.hpp>
#include <kubist/stats/decision_size.hpp>
#include <kubist/stats/distributions.hpp>

namespace kubist::policies {
namespace {

using stats::Counts;
using stats::ETest;
using stats::Margin;

// How sure stable's last known rate is not above its bound, where there is no stable left to
// compare with.
constexpr double k_bound_level = 0.99;
// More restarts than this would share alpha among too many, and the state with them.
constexpr std::size_t k_most_processes = 10;

Counts past_of(const SeriesState& series) {
  return {series.stable.requests, series.stable.requests * series.stable.mean};
}

double correlation_of(const SeriesState& series) { return series.stable.correlation().value_or(0); }

// What the canary must not exceed when all traffic is its own: stable's rate as it was, at most.
double bake_limit(const StatisticalParameters& parameters, const StatisticalMetric& metric,
                  const SeriesState& series) {
  const Counts past = past_of(series);
  const double mean_window = past.n / std::max(1.0, series.stable.windows);
  const double effect = stats::design_effect(mean_window, correlation_of(series));
  const double bound = stats::rate_upper_bound(past.k / effect, past.n / effect, k_bound_level);
  return metric.slope * bound + std::max(metric.tolerance, parameters.budget);
}

ETest abort_test(const StatisticalParameters& parameters, const StatisticalMetric& metric,
                 const SeriesState& series, bool bake) {
  if (metric.limit) {
    return stats::worse_than({0, *metric.limit});
  }
  return bake ? stats::worse_than({0, bake_limit(parameters, metric, series)})
              : stats::worse_than({metric.slope, metric.tolerance});
}

ETest proof_test(const StatisticalMetric& metric, double allowed) {
  return stats::better_than(metric.limit ? Margin{0, *metric.limit} : Margin{metric.slope, 0},
                            allowed);
}

// The restart that belongs to a step: every step's own unless there are very many.
std::size_t process_of(const StatisticalParameters& parameters, std::size_t step) {
  step = std::min(step, parameters.steps);  // what a state says of it comes from anybody
  return parameters.steps <= k_most_processes ? step : step * k_most_processes / parameters.steps;
}

class Look {
 public:
  Look(const StatisticalParameters& parameters, const StatisticalLook& look,
       StatisticalState& state)
      : m_parameters(parameters), m_look(look), m_state(state) {}

  StatisticalDecision decide() {
    if (m_look.step > m_state.step) {
      begin_step();
    }
    m_state.windows += 1;
    const bool settling = m_state.windows <= m_parameters.dropped_windows;
    if (!settling) {
      for (std::size_t i = 0; i < m_state.series.size(); ++i) {
        take(i);
      }
    }
    if (const auto harm = judge_harm()) {
      return *harm;
    }
    if (settling && !out_of_time()) {
      return hold(reason::k_settling, weakest());
    }
    return m_parameters.prove ? judge_progress() : hold(reason::k_undecided, weakest());
  }

 private:
  bool bake() const { return m_look.weight >= 1; }
  double allowed() const {
    return bake() ? 0 : m_parameters.budget / std::max(m_look.next_weight, 1e-9);
  }
  const StatisticalMetric& metric_of(std::size_t series) const {
    return m_parameters.metrics[series / m_parameters.clusters];
  }

  void begin_step() {
    m_state.step = m_look.step;
    m_state.windows = 0;
    for (SeriesState& series : m_state.series) {
      series.proof = {};
      series.step = {};
    }
  }

  void take(std::size_t i) {
    SeriesState& series = m_state.series[i];
    const stats::Window& window = m_look.windows[i];
    const double rho = correlation_of(series);
    const stats::Window effective{stats::deflate(window.canary, rho),
                                  stats::deflate(window.stable, rho)};
    const Counts past = past_of(series);
    stats::RestartedEProcess& abort = m_state.aborts[i];
    abort.begin(process_of(m_parameters, m_look.step));
    abort.add(
        log_e_values(abort_test(m_parameters, metric_of(i), series, bake()), effective, past));
    if (m_parameters.prove && !bake()) {
      series.proof.add(log_e_values(proof_test(metric_of(i), allowed()), effective, past));
    }
    series.step.canary += window.canary;
    series.step.stable += window.stable;
    if (!bake()) {
      // Stragglers of stable while all traffic is the canary's are no measure of it.
      series.stable.add(window.stable);
    }
  }

  std::optional<StatisticalDecision> judge_harm() {
    const std::size_t metrics = m_parameters.metrics.size();
    std::vector<double> logs(metrics);
    std::vector<double> shares(metrics);
    for (std::size_t m = 0; m < metrics; ++m) {
      logs[m] = stats::log_joint_value(aborts_of(m), stats::k_max_alternatives, planned());
      shares[m] = m_parameters.metrics[m].share;
    }
    m_log_e = stats::log_weighted_sum(logs, shares);
    m_state.largest_log_e = std::max(m_state.largest_log_e, m_log_e);
    if (m_log_e < -std::log(m_parameters.alpha)) {
      return std::nullopt;
    }
    const auto worst =
        static_cast<std::size_t>(std::max_element(logs.begin(), logs.end()) - logs.begin());
    const bool compared = !m_parameters.metrics[worst].limit && !bake();
    return make(Verdict::rollback,
                compared ? reason::k_worse_than_stable : reason::k_budget_exceeded,
                worst_cluster(worst));
  }

  std::size_t planned() const { return std::min(m_parameters.steps, k_most_processes); }
  std::span<const stats::RestartedEProcess> aborts_of(std::size_t metric) const {
    return std::span(m_state.aborts).subspan(metric * m_parameters.clusters, m_parameters.clusters);
  }

  std::size_t worst_cluster(std::size_t metric) const {
    std::size_t worst = metric * m_parameters.clusters;
    double most = 0;
    for (std::size_t c = 0; c < m_parameters.clusters; ++c) {
      const double log_e = stats::log_joint_value(aborts_of(metric).subspan(c, 1),
                                                  stats::k_max_alternatives, planned());
      if (c == 0 || log_e > most) {
        most = log_e;
        worst = metric * m_parameters.clusters + c;
      }
    }
    return worst;
  }

  StatisticalDecision judge_progress() {
    const std::size_t least_seen = fewest_requests();
    const double seen = m_state.series[least_seen].step.canary.n;
    const int windows = m_state.windows - m_parameters.dropped_windows;
    if (!(seen > 0)) {
      return wait(reason::k_no_traffic, least_seen);
    }
    if (seen < m_parameters.minimum_requests || windows < m_parameters.minimum_windows) {
      return wait(reason::k_too_few, least_seen);
    }
    if (bake()) {
      return m_look.at_step >= m_parameters.bake
                 ? make(Verdict::advance, reason::k_proven, least_seen)
                 : hold(reason::k_baking, least_seen);
    }
    const std::size_t weak = weakest();
    if (log_proof(weak) >= -std::log(m_parameters.beta)) {
      return make(Verdict::advance, reason::k_proven, weak);
    }
    const Counts& stable = m_state.series[weak].step.stable;
    const bool alone = !metric_of(weak).limit && !(stable.n > 0);
    return wait(alone ? reason::k_no_traffic : reason::k_undecided, weak);
  }

  std::size_t fewest_requests() const {
    const auto fewest = std::min_element(
        m_state.series.begin(), m_state.series.end(),
        [](const auto& a, const auto& b) { return a.step.canary.n < b.step.canary.n; });
    return static_cast<std::size_t>(fewest - m_state.series.begin());
  }

  // ln E that the next weight stays in the budget. A budget of all requests cannot be overspent.
  double log_proof(std::size_t i) const {
    const ETest test = proof_test(metric_of(i), allowed());
    return test.margin.offset >= 1 ? HUGE_VAL
                                   : m_state.series[i].proof.log_value(test.alternatives);
  }

  std::size_t weakest() const {
    std::size_t weakest = 0;
    for (std::size_t i = 1; i < m_state.series.size() && !bake(); ++i) {
      weakest = log_proof(i) < log_proof(weakest) ? i : weakest;
    }
    return weakest;
  }

  bool out_of_time() const {
    const auto limit =
        m_parameters.hold_limit + (bake() ? m_parameters.bake : std::chrono::seconds(0));
    return m_parameters.prove && m_look.at_step >= limit;
  }
  StatisticalDecision wait(std::string_view reason, std::size_t series) const {
    return make(out_of_time() ? Verdict::rollback : Verdict::hold, reason, series);
  }
  StatisticalDecision hold(std::string_view reason, std::size_t series) const {
    return make(Verdict::hold, reason, series);
  }
  StatisticalDecision make(Verdict verdict, std::string_view reason, std::size_t i) const {
    const SeriesState& series = m_state.series[i];
    return {verdict,
            reason,
            {.log_e = m_log_e,
             .p_value = stats::always_valid_p(m_state.largest_log_e),
             .log_proof = bake() || !m_parameters.prove ? 0 : log_proof(i),
             .allowed = allowed(),
             .correlation = correlation_of(series),
             .metric = i / m_parameters.clusters,
             .cluster = i % m_parameters.clusters,
             .step = series.step}};
  }

  const StatisticalParameters& m_parameters;
  const StatisticalLook& m_look;
  StatisticalState& m_state;
  double m_log_e = 0;
};

}  // namespace

StatisticalState initial_state(const StatisticalParameters& parameters) {
  const std::size_t series = parameters.metrics.size() * parameters.clusters;
  StatisticalState state;
  state.series.resize(series);
  state.aborts.resize(series);
  return state;
}

void observe_past(StatisticalState& state, std::size_t series, const Counts& stable) {
  state.series[series].stable.add(stable);
}

StatisticalDecision decide(const StatisticalParameters& parameters, const StatisticalLook& look,
                           StatisticalState& state) {
  return Look(parameters, look, state).decide();
}

std::optional<double> requests_to_leave(const StatisticalParameters& parameters,
                                        std::span<const double> stable_rates, double weight,
                                        double next_weight, double quantile) {
  double most = parameters.minimum_requests;
  for (std::size_t m = 0; m < parameters.metrics.size(); ++m) {
    const StatisticalMetric& metric = parameters.metrics[m];
    const ETest test = proof_test(metric, parameters.budget / next_weight);
    if (test.margin.offset >= 1) {
      continue;
    }
    const auto needed = stats::canary_requests_needed(
        test, {stable_rates[m], stable_rates[m], std::min(weight, 0.999)}, 1 / parameters.beta,
        quantile);
    if (!needed) {
      return std::nullopt;
    }
    most = std::max(most, *needed);
  }
  return most;
}

}  // namespace kubist::policies
