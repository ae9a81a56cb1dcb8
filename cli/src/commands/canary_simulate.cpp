#include <charconv>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/policies/simulation.hpp>
#include <kubist/util/text.hpp>

#include "../output/simulation_report.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

using policies::Judge;
using policies::Simulation;
using util::cat;
using util::ErrorKind;
using util::Result;

// Comparisons that cannot prove anything leave a step after so many windows.
constexpr int k_comparison_windows = 10;

Result<double> parse_number(std::string_view flag, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return util::fail(ErrorKind::usage,
                      cat("invalid value \"", text, "\" for --", flag, ": expected a number"));
  }
  return value;
}

Result<double> number_of(const Arguments& arguments, std::string_view flag, double unit = 1) {
  KUBIST_TRY(const double value, parse_number(flag, arguments.text(flag)));
  return value * unit;
}

constexpr double k_percent = 0.01;

Result<std::vector<double>> weights_of(const Arguments& arguments) {
  std::vector<double> weights;
  const bool one = arguments.given("weight");
  if (one && arguments.given("steps")) {
    return util::fail(ErrorKind::usage, "--weight and --steps exclude each other");
  }
  for (const std::string& text :
       one ? std::vector{arguments.text("weight")} : util::split(arguments.text("steps"), '-')) {
    KUBIST_TRY(const double percent, parse_number(one ? "weight" : "steps", text));
    weights.push_back(percent * k_percent);
  }
  return weights;
}

Judge judge_of(const std::string& name) {
  return name == "threshold"      ? Judge::threshold
         : name == "z-test"       ? Judge::z_test
         : name == "mann-whitney" ? Judge::mann_whitney
                                  : Judge::statistical;
}

Result<> read_traffic(const Arguments& arguments, policies::TrafficModel& traffic) {
  KUBIST_TRY(const double stable, number_of(arguments, "stable-success", k_percent));
  KUBIST_TRY(const double canary, number_of(arguments, "canary-success", k_percent));
  traffic.stable_rate = 1 - stable;
  traffic.canary_rate = 1 - canary;
  KUBIST_TRY(traffic.requests_per_second, number_of(arguments, "rps"));
  KUBIST_TRY(traffic.correlation, number_of(arguments, "icc"));
  KUBIST_TRY(traffic.rising, number_of(arguments, "rising"));
  traffic.interval =
      std::chrono::duration_cast<std::chrono::milliseconds>(arguments.duration("interval"));
  traffic.past_windows = static_cast<int>(arguments.number("past"));
  const long long bad_from = arguments.number("bad-from-step");
  if (bad_from < 1) {
    return util::fail(ErrorKind::usage, "--bad-from-step counts from 1");
  }
  traffic.bad_from = static_cast<std::size_t>(bad_from - 1);
  return {};
}

Result<> read_policy(const Arguments& arguments, Simulation& simulation) {
  policies::StatisticalParameters& statistical = simulation.statistical;
  KUBIST_TRY(statistical.alpha, number_of(arguments, "alpha"));
  KUBIST_TRY(statistical.beta, number_of(arguments, "beta"));
  KUBIST_TRY(statistical.budget, number_of(arguments, "budget", k_percent));
  KUBIST_TRY(statistical.metrics[0].tolerance, number_of(arguments, "tolerance", k_percent));
  if (arguments.given("limit-success")) {
    KUBIST_TRY(const double limit, number_of(arguments, "limit-success", k_percent));
    statistical.metrics[0].limit = 1 - limit;
  }
  statistical.hold_limit =
      std::chrono::duration_cast<std::chrono::seconds>(arguments.duration("hold-limit"));
  KUBIST_TRY(simulation.threshold.minimum_success,
             number_of(arguments, "minimum-success", k_percent));
  simulation.threshold.failed_checks = static_cast<int>(arguments.number("failed-checks"));
  return {};
}

// Who leaves steps: the policy, or a schedule while the policy only watches.
void set_schedule(const Arguments& arguments, Simulation& simulation) {
  policies::RolloutModel& rollout = simulation.rollout;
  rollout.step_windows = static_cast<int>(arguments.number("step-windows"));
  if (arguments.given("weight")) {
    rollout.step_windows = rollout.looks + 1;
  } else if (rollout.step_windows == 0 &&
             (simulation.judge == Judge::z_test || simulation.judge == Judge::mann_whitney)) {
    rollout.step_windows = k_comparison_windows;
  }
  simulation.statistical.prove = rollout.step_windows == 0;
}

Result<Simulation> read_simulation(const Arguments& arguments) {
  Simulation simulation;
  simulation.judge = judge_of(arguments.text("policy"));
  KUBIST_TRY(simulation.rollout.weights, weights_of(arguments));
  KUBIST_TRY(simulation.rollout.final_weight, number_of(arguments, "final-weight", k_percent));
  simulation.rollout.looks = static_cast<int>(arguments.number("looks"));
  KUBIST_CHECK(read_traffic(arguments, simulation.traffic));
  KUBIST_CHECK(read_policy(arguments, simulation));
  set_schedule(arguments, simulation);
  simulation.runs = static_cast<int>(arguments.number("runs"));
  simulation.seed = static_cast<std::uint64_t>(arguments.number("seed"));
  simulation.threads = static_cast<unsigned>(std::max(0LL, arguments.number("threads")));
  if (auto checked = policies::check_simulation(simulation); !checked) {
    checked.error().kind = ErrorKind::usage;
    return util::fail(checked.error());
  }
  return simulation;
}

Result<int> run(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const Simulation simulation, read_simulation(arguments));
  const auto runs = policies::simulate(simulation, context.stop());
  if (context.stop().stop_requested()) {
    return util::fail(ErrorKind::cancelled, "the simulation was interrupted");
  }
  const policies::SimulationReport report = policies::summarize(simulation, runs);
  if (arguments.text("output") == "json") {
    context.out().write(data::to_kubectl_json(simulation_json(simulation, report)));
  } else {
    context.out().write(simulation_text(simulation, report, runs));
  }
  return k_ok;
}

constexpr std::string_view k_details =
    "Runs a policy against a traffic model, many times, without any cluster: how often would it "
    "abort a good version, promote a bad one, and after how many requests? Each window both "
    "versions get their share of the requests, which fail independently (binomial), or in bursts "
    "with --icc (beta-binomial). The same seed gives the same numbers on every machine.\n\n"
    "Without --weight the weights follow --steps as the policy decides; the statistical policy is "
    "the default one but for the flags here. With --weight the weight stays (or grows to "
    "--final-weight) for all looks, and only aborts are measured.\n\n"
    "What the numbers are. abortedShare = runs rolled back by a verdict / runs; promotedShare = "
    "runs that left the last step / runs; undecidedShare = the rest / runs (no verdict in all "
    "looks, "
    "or a step held longer than --hold-limit). falseAbortRate = abortedShare if canary failures - "
    "stable failures <= tolerance, else null. falsePromotionRate = promotedShare if canary "
    "failures "
    "- stable failures >= budget, else null. canaryRequestsToAbort = the canary requests by which "
    "half (95 %) of all runs were aborted, null where fewer were; counted from --bad-from-step. "
    "requestsToPromote = requests of both versions by which half (95 %) of all runs were promoted. "
    "secondsToDecision = looks * interval, likewise, aborted or promoted. extraFailures = canary "
    "failures - canary requests * stable's failure rate, of the aborted runs. expectedToLeave = "
    "canary requests that a version as good as stable needs at each step, computed, not simulated.";

}  // namespace

const CommandSpec& canary_simulate_command() {
  static const CommandSpec spec{
      .path = "canary simulate",
      .group = "Releases",
      .summary = "Say how often a policy would abort a good version or promote a bad one",
      .details = k_details,
      .arguments = "",
      .flags =
          {{"policy",
            0,
            FlagKind::text,
            "POLICY",
            "statistical, threshold, z-test or mann-whitney",
            "statistical",
            Completes::choices,
            {},
            {"statistical", "threshold", "z-test", "mann-whitney"}},
           {"stable-success", 0, FlagKind::text, "PERCENT", "stable's true success rate", "99"},
           {"canary-success", 0, FlagKind::text, "PERCENT", "the canary's true success rate", "99"},
           {"rps", 0, FlagKind::text, "RATE", "requests a second, both versions together", "20"},
           {"interval", 0, FlagKind::duration, "DURATION", "time between looks", "30s"},
           {"looks", 0, FlagKind::number, "N", "then the canary is given up", "500"},
           {"runs", 0, FlagKind::number, "N", "canaries to simulate", "10000"},
           {"seed", 0, FlagKind::number, "N", "of the random numbers", "1"},
           {"icc", 0, FlagKind::text, "SHARE", "intraclass correlation of the failures in a window",
            "0"},
           {"rising", 0, FlagKind::text, "FACTOR",
            "both failure rates grow to so many times the first by the last look", "1"},
           {"bad-from-step", 0, FlagKind::number, "N",
            "before this step, counted from 1, the canary is as good as stable", "1"},
           {"past", 0, FlagKind::number, "N", "windows of stable alone that are known before",
            "240"},
           {"steps", 0, FlagKind::text, "PERCENTS", "weights of the steps", "5-10-25-50-100"},
           {"step-windows", 0, FlagKind::number, "N",
            "leave a step after so many windows; 0: when the policy says so (with z-test and "
            "mann-whitney 10)",
            "0"},
           {"weight", 0, FlagKind::text, "PERCENT", "one weight for all looks, instead of steps"},
           {"final-weight", 0, FlagKind::text, "PERCENT",
            "with --weight: it grows to this by the last look; 0: it stays", "0"},
           {"alpha", 0, FlagKind::text, "SHARE", "of good canaries that may be aborted", "0.05"},
           {"beta", 0, FlagKind::text, "SHARE", "of bad canaries that may be promoted", "0.05"},
           {"tolerance", 0, FlagKind::text, "POINTS", "excess of failures that is tolerated",
            "0.5"},
           {"budget", 0, FlagKind::text, "PERCENT",
            "of all requests that may fail more than with stable", "1"},
           {"limit-success", 0, FlagKind::text, "PERCENT",
            "judge the canary against this success rate instead of stable"},
           {"hold-limit", 0, FlagKind::duration, "DURATION", "at one step, then undecided", "30m"},
           {"minimum-success", 0, FlagKind::text, "PERCENT", "of policy threshold", "99"},
           {"failed-checks", 0, FlagKind::number, "N", "of policy threshold", "5"},
           {"threads", 0, FlagKind::number, "N", "0: one for each processor", "0"},
           {"output",
            'o',
            FlagKind::text,
            "FORM",
            "text or json",
            "text",
            Completes::choices,
            {},
            {"text", "json"}}},
      .examples = {{"The default policy and a version that fails 2 points more",
                    "kubist canary simulate --stable-success 99 --canary-success 97"},
                   {"What looking at a z-test every half minute does to good versions",
                    "kubist canary simulate --policy z-test --weight 10"},
                   {"Bursts of failures, as JSON",
                    "kubist canary simulate --icc 0.01 --rps 5 -o json"}},
      .needs = Needs::nothing,
      .run = run};
  return spec;
}

}  // namespace kubist::cli
