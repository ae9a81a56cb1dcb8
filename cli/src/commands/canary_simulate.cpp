#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/util/text.hpp>

#include "../input.hpp"
#include "../output/document.hpp"
#include "../output/simulation_report.hpp"
#include "../simulated_release.hpp"
#include "../simulation_flags.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

using simulation::Judge;
using simulation::Simulation;
using util::cat;
using util::ErrorKind;
using util::Result;

// Comparisons that cannot prove anything leave a step after so many windows.
constexpr int k_comparison_windows = 10;

Result<std::vector<double>> weights_of(const Arguments& arguments) {
  if (arguments.given("weight")) {
    KUBIST_CHECK(check_not_given(arguments, {"steps"}, "and --weight exclude each other"));
    KUBIST_TRY(const double weight, percent_of(arguments, "weight"));
    return std::vector{weight};
  }
  std::vector<double> weights;
  KUBIST_TRY(const data::Json percents, percents_of(arguments));
  for (const data::Json& percent : percents) {
    weights.push_back(percent.get<double>() * k_percent);
  }
  return weights;
}

Judge judge_of(const std::string& name) {
  return name == "threshold"      ? Judge::threshold
         : name == "z-test"       ? Judge::z_test
         : name == "mann-whitney" ? Judge::mann_whitney
                                  : Judge::statistical;
}

Result<> read_test(const Arguments& arguments, Simulation& simulation) {
  policies::StatisticalParameters& statistical = simulation.statistical;
  KUBIST_TRY(statistical.alpha, number_of(arguments, "alpha"));
  KUBIST_TRY(statistical.beta, number_of(arguments, "beta"));
  KUBIST_TRY(statistical.budget, number_of(arguments, "budget", k_percent));
  KUBIST_TRY(statistical.metrics[0].tolerance, number_of(arguments, "tolerance", k_percent));
  if (arguments.given("limit-success")) {
    KUBIST_TRY(const double limit, percent_of(arguments, "limit-success"));
    statistical.metrics[0].limit = 1 - limit;
  }
  statistical.hold_limit =
      std::chrono::duration_cast<std::chrono::seconds>(arguments.duration("hold-limit"));
  KUBIST_TRY(simulation.threshold.minimum_success, percent_of(arguments, "minimum-success"));
  simulation.threshold.failed_checks = static_cast<int>(arguments.number("failed-checks"));
  return {};
}

// Who leaves steps: the test, or a schedule while the test only watches.
void set_schedule(const Arguments& arguments, Simulation& simulation) {
  simulation::RolloutModel& rollout = simulation.rollout;
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
  constexpr int k_runs = 10000;
  KUBIST_CHECK(check_not_given(
      arguments, {"policy", "filename", "set", "recorded", "print-query", "approved", "start"},
      "and --test exclude each other: a test has no release around it"));
  Simulation simulation;
  simulation.judge = judge_of(arguments.text("test"));
  KUBIST_TRY(simulation.rollout.weights, weights_of(arguments));
  KUBIST_TRY(simulation.rollout.final_weight, percent_of(arguments, "final-weight"));
  simulation.rollout.looks = static_cast<int>(evaluations_of(arguments));
  KUBIST_TRY(simulation.traffic, read_traffic(arguments));
  KUBIST_CHECK(read_test(arguments, simulation));
  set_schedule(arguments, simulation);
  simulation.runs = arguments.given("runs") ? static_cast<int>(arguments.number("runs")) : k_runs;
  simulation.seed = static_cast<std::uint64_t>(arguments.number("seed"));
  simulation.threads = static_cast<unsigned>(std::max(0LL, arguments.number("threads")));
  if (auto checked = simulation::check_simulation(simulation); !checked) {
    checked.error().kind = ErrorKind::usage;
    return util::fail(checked.error());
  }
  return simulation;
}

Result<simulation::Outcome> simulate_by(Context& context, const Arguments& arguments) {
  if (arguments.given("test")) {
    KUBIST_TRY(const Simulation simulation, read_simulation(arguments));
    return simulation::simulate_test(simulation, context.stop());
  }
  KUBIST_TRY(const SimulatedInput input, read_simulated_release(context, arguments));
  return simulation::simulate_release(input.simulation, input.bounds, context.stop());
}

Result<int> run_canary_simulate(Context& context, const Arguments& arguments) {
  if (!arguments.words().empty() && !arguments.given("filename")) {
    return util::fail(ErrorKind::usage, cat("release ", arguments.words()[0], " is not in a file"),
                      "Give its file with -f.");
  }
  if (arguments.boolean("print-query") && !arguments.given("test")) {
    KUBIST_TRY(const std::string query, recording_query(context, arguments));
    context.out().write(cat(query, '\n'));
    return k_ok;
  }
  KUBIST_TRY(const simulation::Outcome outcome, simulate_by(context, arguments));
  if (context.stop().stop_requested()) {
    return util::fail(ErrorKind::cancelled, "the simulation was interrupted");
  }
  KUBIST_TRY(const bool printed, print_document(context, simulation_json(outcome)));
  if (!printed) {
    context.out().write(simulation_text(outcome));
  }
  return k_ok;
}

/// What --evaluations was called first: scripts may have it.
Flag looks_flag() {
  Flag flag{"looks", 0, FlagKind::number, "N", "the same as --evaluations"};
  flag.hidden = true;
  return flag;
}

constexpr std::string_view k_details =
    "Runs a release many times without any cluster: how often would its policies abort a good "
    "version, promote a bad one, and after how many requests? It is --policy with --steps, or the "
    "CanaryRelease of -f with its policies, also with custom definitions in the same files "
    "(Jsonnet, and programs of the local configuration; images need a cluster). Its policies and "
    "its loop are those of a real release, on a simulated clock; pods are ready, and routes at new "
    "weights, at once. --policy with -f says what another policy would have done.\n\n"
    "Between two evaluations both versions get their share of the requests, which fail "
    "independently "
    "(binomial), or in bursts with --icc (beta-binomial). With --recorded they come from a saved "
    "answer of Prometheus to the query of --print-query, asked at /api/v1/query_range. Each "
    "recorded window has as many requests as it had, shared by the simulated weight, and each "
    "version fails as often as it did then (docs/background/statistics.md). A release that needs "
    "longer than "
    "was recorded ends undecided (RecordingEnded). The same seed gives the same numbers on every "
    "machine.\n\n"
    "With --test only a test judges the traffic, with no release around it: statistical (that of "
    "the policy Statistical), threshold (Flagger's), z-test or mann-whitney. That is much faster, "
    "for tables. Without --weight the weights follow --steps as the test decides. With --weight "
    "the "
    "weight stays (or grows to --final-weight) for all evaluations, and only aborts are "
    "measured.\n\n"
    "What the numbers are. Shares are parts of all runs. In abortedShare are runs that were rolled "
    "back for what a policy saw, in promotedShare those that succeeded, the bake included. In "
    "undecidedShare are the rest: held too long, without data, or not over after "
    "--evaluations intervals. The list byReason says why, as status.reason of a release does. A "
    "falseAbortRate is the abortedShare where canary failures - stable failures <= tolerance, "
    "else null. A falsePromotionRate is the promotedShare where canary failures - stable failures "
    ">= budget, else null. Half (95 %) of all runs were aborted by canaryRequestsToAbort canary "
    "requests, "
    "counted from --bad-from-step; null where fewer were. Half (95 %) were promoted by "
    "requestsToPromote requests of both versions, and aborted or promoted within "
    "secondsToDecision. Of the aborted runs, extraFailures is canary failures - canary requests * "
    "stable's failure rate. At each step of Statistical, expectedToLeave is how many canary "
    "requests a version as good as stable needs; it is computed, not simulated.";

}  // namespace

CommandSpec canary_simulate_command() {
  return {
      .path = "canary simulate",
      .group = "Releases and traffic",
      .summary = "Say how often a release would abort a good version or promote a bad one",
      .details = k_details,
      .arguments = "[NAME]",
      .max_words = 1,
      .flags =
          {{"policy", 0, FlagKind::text, "POLICY",
            "built in, or defined in -f; instead of the release's own", "Statistical"},
           {"set", 0, FlagKind::list, "NAME=VALUE", "a parameter of --policy, may be repeated"},
           filename_flag(),
           recursive_flag(),
           {"recorded", 0, FlagKind::text, "FILE",
            "an answer of query_range: what the versions did, instead of a model", "",
            Completes::files},
           {"print-query", 0, FlagKind::boolean, "",
            "print the PromQL to record the release of -f with"},
           {"approved", 0, FlagKind::boolean, "", "a person has approved every weight"},
           {"start", 0, FlagKind::text, "TIME",
            "when it begins (2026-01-05T12:00:00Z, or the recording's first time)"},
           choice_flag("test", 0, "TEST",
                       "only a test: statistical, threshold, z-test or mann-whitney", "",
                       {"statistical", "threshold", "z-test", "mann-whitney"}),
           {"stable-success", 0, FlagKind::text, "PERCENT",
            "stable's true success rate, such as 99 or 99.5%", "99"},
           {"canary-success", 0, FlagKind::text, "PERCENT", "the canary's true success rate", "99"},
           {"rps", 0, FlagKind::text, "RATE", "requests a second, both versions together", "20"},
           {"interval", 0, FlagKind::duration, "DURATION", "time between evaluations", "30s"},
           {"evaluations", 0, FlagKind::number, "N", "then the canary is given up", "500"},
           looks_flag(),
           {"runs", 0, FlagKind::number, "N", "canaries to simulate (1000, with --test 10000)"},
           {"seed", 0, FlagKind::number, "N", "of the random numbers", "1"},
           {"icc", 0, FlagKind::text, "SHARE", "intraclass correlation of the failures in a window",
            "0"},
           {"rising", 0, FlagKind::text, "FACTOR",
            "both failure rates grow to so many times the first by the last evaluation", "1"},
           {"bad-from-step", 0, FlagKind::number, "N",
            "before this step, counted from 1, the canary is as good as stable", "1"},
           {"past", 0, FlagKind::number, "N",
            "with --test: windows of only stable that are known before", "240"},
           {"steps", 0, FlagKind::text, "PERCENTS", "weights of the steps", "5-10-25-50-100"},
           {"step-windows", 0, FlagKind::number, "N",
            "with --test: leave a step after so many windows; 0: when it says so (with z-test and "
            "mann-whitney 10)",
            "0"},
           {"weight", 0, FlagKind::text, "PERCENT", "with --test: one weight for all evaluations"},
           {"final-weight", 0, FlagKind::text, "PERCENT",
            "with --weight: it grows to this by the last evaluation; 0: it stays", "0"},
           {"alpha", 0, FlagKind::text, "SHARE", "of good canaries that may be aborted", "0.05"},
           {"beta", 0, FlagKind::text, "SHARE", "of bad canaries that may be promoted", "0.05"},
           {"tolerance", 0, FlagKind::text, "POINTS",
            "excess of failures that a good version may have", "0.5"},
           {"budget", 0, FlagKind::text, "PERCENT",
            "of all requests that may fail more than with stable", "1"},
           {"limit-success", 0, FlagKind::text, "PERCENT",
            "with --test: judge the canary against this success rate instead of stable"},
           {"hold-limit", 0, FlagKind::duration, "DURATION", "at one step, then undecided", "30m"},
           {"minimum-success", 0, FlagKind::text, "PERCENT", "of test threshold", "99"},
           {"failed-checks", 0, FlagKind::number, "N", "of test threshold", "5"},
           {"threads", 0, FlagKind::number, "N", "0: one for each processor", "0"},
           document_flag()},
      .examples = {{"The default policy and a version that fails 2 points more",
                    "kubist canary simulate --stable-success 99 --canary-success 97"},
                   {"A release as it is written", "kubist canary simulate -f shop.yaml --rps 5"},
                   {"What another policy would have made of last night",
                    "kubist canary simulate -f shop.yaml --recorded night.json --policy Health"},
                   {"What evaluating a z-test every half minute does to good versions",
                    "kubist canary simulate --test z-test --weight 10"}},
      .run = run_canary_simulate};
}

}  // namespace kubist::cli
