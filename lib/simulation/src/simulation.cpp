#include <algorithm>
#include <cmath>
#include <map>

#include <kubist/simulation/simulation.hpp>
#include <kubist/stats/sampling.hpp>
#include <kubist/util/text.hpp>

#include "judges.hpp"
#include "lots.hpp"

namespace kubist::simulation {
namespace {

using policies::Verdict;
using stats::Counts;
using stats::Random;
using util::ErrorKind;

constexpr int k_rule_lot = 16;
constexpr double k_most_requests = 1e9;

class Run {
 public:
  Run(const Simulation& simulation, const policies::StatisticalParameters& statistical, int index)
      : m_traffic(simulation.traffic),
        m_rollout(simulation.rollout),
        m_random(simulation.seed, static_cast<std::uint64_t>(index)),
        m_judge(make_judge(simulation, statistical)) {}

  SimulatedRun run() {
    for (int i = 0; i < m_traffic.past_windows; ++i) {
      m_judge->observe_past(draw(window_requests(i), m_traffic.stable_rate));
    }
    for (int look = 0; look < m_rollout.looks && m_result.ending == Ending::undecided; ++look) {
      m_result.looks = look + 1;
      if (!take(look)) {
        break;
      }
    }
    m_result.seconds = m_result.looks * std::chrono::duration<double>(m_traffic.interval).count();
    return m_result;
  }

 private:
  double window_requests(int window) const {
    const double each =
        m_traffic.requests_per_second * std::chrono::duration<double>(m_traffic.interval).count();
    return std::floor(each * (window + 1)) - std::floor(each * window);
  }
  double progress(int look) const {
    return m_rollout.looks > 1 ? static_cast<double>(look) / (m_rollout.looks - 1) : 0;
  }
  double weight(int look) const {
    const double first = m_rollout.weights[m_step];
    return m_rollout.final_weight > 0 ? first + (m_rollout.final_weight - first) * progress(look)
                                      : first;
  }
  Counts draw(double n, double rate) {
    return {n, m_random.beta_binomial(n, std::min(rate, 1.0), m_traffic.correlation)};
  }

  stats::Window draw_window(int look, double share) {
    const double factor = 1 + (m_traffic.rising - 1) * progress(look);
    const double stable_rate = m_traffic.stable_rate * factor;
    const bool bad = m_step >= m_traffic.bad_from;
    const double canary_rate = bad ? m_traffic.canary_rate * factor : stable_rate;
    const double all = window_requests(look);
    const double n = m_random.binomial(all, share);
    const Counts canary = draw(n, canary_rate);
    const Counts stable = draw(all - n, stable_rate);
    m_result.requests += all;
    if (bad) {
      m_result.canary_requests += n;
      m_result.extra_failures += canary.k - n * stable_rate;
    }
    return {canary, stable};
  }

  // False when the canary is given up without a verdict.
  bool take(int look) {
    const double now = weight(look);
    const bool last = m_step + 1 == m_rollout.weights.size();
    const auto at_step =
        std::chrono::duration_cast<std::chrono::seconds>(m_traffic.interval * (m_at_step + 1));
    const SimulatedVerdict said = m_judge->look(
        {m_step, now, last ? 0 : m_rollout.weights[m_step + 1], at_step, draw_window(look, now)});
    m_at_step += 1;
    m_result.reason = said.reason;
    if (said.verdict == Verdict::rollback) {
      m_result.ending = said.harm ? Ending::aborted : Ending::undecided;
      return said.harm;
    }
    const bool leave = m_rollout.step_windows > 0 ? m_at_step >= m_rollout.step_windows
                                                  : said.verdict == Verdict::advance;
    if (leave && last) {
      m_result.ending = Ending::promoted;
      m_result.reason = "Promoted";
    } else if (leave) {
      m_step += 1;
      m_at_step = 0;
    }
    return true;
  }

  const TrafficModel& m_traffic;
  const RolloutModel& m_rollout;
  Random m_random;
  std::unique_ptr<SimulatedJudge> m_judge;
  std::size_t m_step = 0;
  int m_at_step = 0;
  SimulatedRun m_result;
};

// The value that `share` of all runs stay at or below, the runs without one being infinite.
std::optional<double> quantile(const std::vector<double>& sorted, std::size_t runs, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(runs)));
  return rank >= 1 && rank <= sorted.size() ? std::optional(sorted[rank - 1]) : std::nullopt;
}

template <class Value>
Quantiles quantiles(const std::vector<SimulatedRun>& runs, Value value, bool of_all = true) {
  std::vector<double> values;
  for (const SimulatedRun& run : runs) {
    if (const std::optional<double> found = value(run)) {
      values.push_back(*found);
    }
  }
  std::sort(values.begin(), values.end());
  const std::size_t count = of_all ? runs.size() : values.size();
  return {quantile(values, count, 0.5), quantile(values, count, 0.95)};
}

double share_of(const std::vector<SimulatedRun>& runs, Ending ending) {
  const auto count = std::count_if(runs.begin(), runs.end(),
                                   [&](const SimulatedRun& run) { return run.ending == ending; });
  return runs.empty() ? 0 : static_cast<double>(count) / static_cast<double>(runs.size());
}

bool is_rate(double rate) { return rate >= 0 && rate <= 1; }
tl::unexpected<util::Error> bad(const char* what) { return util::fail(ErrorKind::invalid, what); }

std::vector<EndingShare> reasons_of(const std::vector<SimulatedRun>& runs) {
  std::map<std::pair<Ending, std::string>, int> counts;
  for (const SimulatedRun& run : runs) {
    counts[{run.ending, run.reason}] += 1;
  }
  std::vector<EndingShare> reasons;
  for (const auto& [key, count] : counts) {
    reasons.push_back({key.first, key.second, count / static_cast<double>(runs.size())});
  }
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  return reasons;
}

}  // namespace

std::vector<SimulatedRun> simulate(const Simulation& simulation, const std::stop_token& stop) {
  policies::StatisticalParameters statistical = simulation.statistical;
  statistical.steps = simulation.rollout.weights.size();
  std::vector<SimulatedRun> results(static_cast<std::size_t>(simulation.runs));
  in_lots({simulation.runs, k_rule_lot, simulation.threads}, stop, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      results[static_cast<std::size_t>(i)] = Run(simulation, statistical, i).run();
    }
    return true;
  });
  // A run that was not made has no look.
  std::erase_if(results, [](const SimulatedRun& run) { return run.looks == 0; });
  return results;
}

util::Result<> check_traffic(const TrafficModel& traffic) {
  if (!is_rate(traffic.stable_rate) || !is_rate(traffic.canary_rate)) {
    return bad("a success rate is not between 0 and 100 %");
  }
  if (!(traffic.requests_per_second > 0 && traffic.requests_per_second <= k_most_requests) ||
      traffic.interval.count() <= 0) {
    return bad(
        "there must be traffic (at most 1e9 requests a second), and time between evaluations");
  }
  if (!(traffic.correlation >= 0 && traffic.correlation < 1) || !(traffic.rising > 0)) {
    return bad("the intraclass correlation must be in [0, 1), and rates rise by more than 0 times");
  }
  return {};
}

util::Result<> check_simulation(const Simulation& simulation) {
  KUBIST_CHECK(check_parameters(simulation.statistical));
  KUBIST_CHECK(check_traffic(simulation.traffic));
  const RolloutModel& rollout = simulation.rollout;
  if (rollout.weights.empty() || rollout.looks < 1 || rollout.step_windows < 0 ||
      simulation.traffic.past_windows < 0 || simulation.runs < 1) {
    return bad("there must be a weight, an evaluation and a run, and no less than 0 windows");
  }
  double before = 0;
  for (const double weight : rollout.weights) {
    if (!(weight > before && weight <= 1)) {
      return bad("weights must rise, from more than 0 to at most 100 %");
    }
    before = weight;
  }
  if (rollout.final_weight != 0 &&
      (rollout.weights.size() != 1 || !is_rate(rollout.final_weight))) {
    return bad("a final weight goes with one weight, and is at most 100 %");
  }
  return {};
}

Truth truth_of(const Simulation& simulation) {
  return {simulation.traffic.stable_rate, simulation.traffic.canary_rate,
          simulation.statistical.metrics[0].tolerance, simulation.statistical.budget};
}

SimulationReport summarize(const Truth& truth, const std::vector<SimulatedRun>& runs) {
  SimulationReport report;
  report.runs = static_cast<int>(runs.size());
  report.aborted_share = share_of(runs, Ending::aborted);
  report.promoted_share = share_of(runs, Ending::promoted);
  report.undecided_share = share_of(runs, Ending::undecided);
  report.reasons = reasons_of(runs);
  const double excess = truth.canary_rate - truth.stable_rate;
  constexpr double k_rounding = 1e-12;  // of rates that were given in percent
  if (excess <= truth.tolerance + k_rounding) {
    report.false_abort_rate = report.aborted_share;
  }
  if (excess >= truth.budget - k_rounding) {
    report.false_promotion_rate = report.promoted_share;
  }
  using MaybeCount = std::optional<double>;
  const auto aborted = [](const SimulatedRun& run) { return run.ending == Ending::aborted; };
  report.canary_requests_to_abort = quantiles(runs, [&](const SimulatedRun& run) {
    return aborted(run) ? MaybeCount(run.canary_requests) : std::nullopt;
  });
  report.requests_to_promote = quantiles(runs, [](const SimulatedRun& run) {
    return run.ending == Ending::promoted ? MaybeCount(run.requests) : std::nullopt;
  });
  report.seconds_to_decision = quantiles(runs, [](const SimulatedRun& run) {
    return run.ending != Ending::undecided ? MaybeCount(run.seconds) : std::nullopt;
  });
  report.extra_failures = quantiles(
      runs,
      [&](const SimulatedRun& run) {
        return aborted(run) ? MaybeCount(run.extra_failures) : std::nullopt;
      },
      false);
  return report;
}

}  // namespace kubist::simulation
