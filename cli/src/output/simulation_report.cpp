#include "simulation_report.hpp"

#include <algorithm>
#include <cmath>

#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "tree_lines.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using simulation::Ending;
using simulation::Quantiles;
using simulation::SimulatedRun;
using simulation::SimulationReport;
using simulation::StepNeed;
using util::cat;

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }
Json quantiles_json(const Quantiles& quantiles) {
  return {{"median", number_or_null(quantiles.median)}, {"p95", number_or_null(quantiles.p95)}};
}

std::string number(double value, int digits = 0) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}
std::string percent(double share, int digits = 1) { return cat(number(100 * share, digits), " %"); }
std::string rate_text(double rate) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", rate);
  return text;
}
std::string time(double seconds) {
  return util::human_duration(std::chrono::seconds(std::llround(seconds)));
}

template <class Format>
std::string quantiles_text(const Quantiles& quantiles, Format format) {
  if (!quantiles.median) {
    return "-";
  }
  return cat(format(*quantiles.median), ", 95 %: ", quantiles.p95 ? format(*quantiles.p95) : "-");
}

Json needs_json(const std::vector<StepNeed>& needs) {
  Json list = Json::array();
  for (const StepNeed& step : needs) {
    const auto seconds = [&](const std::optional<double>& requests) {
      return requests ? std::optional(*requests / step.rate) : std::nullopt;
    };
    list.push_back({{"weightPercent", 100 * step.weight},
                    {"canaryRequests", quantiles_json({step.median, step.p95})},
                    {"seconds", quantiles_json({seconds(step.median), seconds(step.p95)})}});
  }
  return list;
}

std::string needs_text(const std::vector<StepNeed>& needs) {
  std::string text;
  for (const StepNeed& step : needs) {
    text += cat("  at ", number(100 * step.weight), " %: ");
    if (!step.p95) {
      text += "no number suffices\n";
      continue;
    }
    text += cat(number(*step.median), " canary requests (95 %: ", number(*step.p95), ") at ",
                rate_text(step.rate), "/s: ", time(*step.median / step.rate), " (",
                time(*step.p95 / step.rate), ")\n");
  }
  return text.empty() ? "" : cat("A version as good as stable needs about\n", text, '\n');
}

constexpr std::string_view word(Ending ending) {
  return ending == Ending::aborted    ? "aborted"
         : ending == Ending::promoted ? "promoted"
                                      : "undecided";
}

Json reasons_json(const std::vector<simulation::EndingShare>& reasons) {
  Json list = Json::array();
  for (const simulation::EndingShare& each : reasons) {
    list.push_back({{"ending", word(each.ending)}, {"reason", each.reason}, {"share", each.share}});
  }
  return list;
}

std::string reasons_text(const std::vector<simulation::EndingShare>& reasons) {
  std::vector<std::vector<std::string>> rows{{"ENDING", "REASON", "RUNS"}};
  for (const simulation::EndingShare& each : reasons) {
    rows.push_back({std::string(word(each.ending)), each.reason, percent(each.share, 2)});
  }
  return layout(rows);
}

constexpr int k_bars = 12;
constexpr double k_bar_width = 40;

// The share of all runs that had ended each way by the end of each slice of time.
std::string chart(const std::vector<SimulatedRun>& runs) {
  double longest = 0;
  int looks = 1;
  for (const SimulatedRun& run : runs) {
    if (run.ending != Ending::undecided) {
      longest = std::max(longest, run.seconds);
      looks = std::max(looks, run.looks);
    }
  }
  const int bars = longest > 0 ? std::min(k_bars, looks) : 0;
  std::vector<std::vector<std::string>> rows{{"UNTIL", "ABORTED", "PROMOTED", ""}};
  for (int bar = 1; bar <= bars; ++bar) {
    const double until = longest * bar / bars;
    const auto share = [&](Ending ending) {
      return static_cast<double>(std::count_if(
                 runs.begin(), runs.end(),
                 [&](const auto& run) { return run.ending == ending && run.seconds <= until; })) /
             std::max<double>(1, static_cast<double>(runs.size()));
    };
    const double aborted = share(Ending::aborted);
    const double promoted = share(Ending::promoted);
    const auto width = [](double of) {
      return static_cast<std::size_t>(std::lround(of * k_bar_width));
    };
    rows.push_back({time(until), percent(aborted), percent(promoted),
                    cat(std::string(width(aborted), 'x'), std::string(width(promoted), '='))});
  }
  return layout(rows);
}

}  // namespace

Json simulation_json(const simulation::Outcome& outcome) {
  const SimulationReport& report = outcome.report;
  return {{"runs", report.runs},
          {"seed", outcome.seed},
          {"abortedShare", report.aborted_share},
          {"promotedShare", report.promoted_share},
          {"undecidedShare", report.undecided_share},
          {"falseAbortRate", number_or_null(report.false_abort_rate)},
          {"falsePromotionRate", number_or_null(report.false_promotion_rate)},
          {"canaryRequestsToAbort", quantiles_json(report.canary_requests_to_abort)},
          {"requestsToPromote", quantiles_json(report.requests_to_promote)},
          {"secondsToDecision", quantiles_json(report.seconds_to_decision)},
          {"extraFailures", quantiles_json(report.extra_failures)},
          {"byReason", reasons_json(report.reasons)},
          {"expectedToLeave", needs_json(outcome.needs)}};
}

std::string simulation_text(const simulation::Outcome& outcome) {
  const SimulationReport& report = outcome.report;
  const auto whole = [](double value) { return number(value); };
  const auto rate = [](const std::optional<double>& share) {
    return share ? percent(*share, 2) : std::string("-");
  };
  const std::vector<std::vector<std::string>> rows{
      {"runs", cat(report.runs, " of seed ", outcome.seed)},
      {"aborted", percent(report.aborted_share, 2)},
      {"promoted", percent(report.promoted_share, 2)},
      {"undecided", percent(report.undecided_share, 2)},
      {"false aborts", rate(report.false_abort_rate)},
      {"false promotions", rate(report.false_promotion_rate)},
      {"canary requests to abort", quantiles_text(report.canary_requests_to_abort, whole)},
      {"requests to promote", quantiles_text(report.requests_to_promote, whole)},
      {"time to decision", quantiles_text(report.seconds_to_decision, time)},
      {"extra failures of aborted runs", quantiles_text(report.extra_failures, whole)}};
  return cat(needs_text(outcome.needs), layout(rows), '\n', reasons_text(report.reasons), '\n',
             chart(outcome.runs));
}

}  // namespace kubist::cli
