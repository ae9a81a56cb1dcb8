#include "canary_lines.hpp"

#include <cstdio>
#include <numeric>

#include <kubist/data/json_patch.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/release/plan.hpp>
#include <kubist/stats/bootstrap.hpp>
#include <kubist/stats/posterior.hpp>
#include <kubist/util/text.hpp>

#include "askable.hpp"
#include "tree_lines.hpp"

namespace kubist::cli {

using data::Json;
using util::cat;

namespace {

std::string format(const char* form, double value) {
  char text[40];
  std::snprintf(text, sizeof text, form, value);
  return text;
}

/// "5 10 [25] 50 100": where it is among its steps, which policies may have set.
std::string steps_of(const Json& release) {
  Json effective = release;
  if (const Json* changes = data::find_path(release, {"status", "effective"})) {
    effective["spec"] = data::apply_merge_patch(release.value("spec", Json::object()), *changes);
  }
  const auto plan = release::read_plan(effective);
  if (!plan) {
    return {};
  }
  const auto weight = data::int_at(release, {"status", "weight"});
  std::vector<std::string> steps;
  for (const int step : plan->weights) {
    steps.push_back(step == weight ? cat('[', step, ']') : cat(step));
  }
  const auto waves = data::int_at(release, {"status", "wave", "of"}, 1);
  return cat(
      "  steps: ", util::join(steps, " "), " %",
      waves > 1 ? cat(", wave ", data::int_at(release, {"status", "wave", "number"}), " of ", waves)
                : "",
      '\n');
}

stats::Counts counts_of(const Json& version) {
  return {version.value("requests", 0.0), version.value("errors", 0.0)};
}

/// "  by 0.8 points (95 %: 0.2 to 1.5, 20 windows)": resampling windows knows what failures that
/// come together do. Nothing for a few windows.
std::string difference(const Json& stable, const Json& canary) {
  constexpr std::size_t k_least = 5;
  constexpr int k_resamples = 2000;
  const auto rates_of = [](const Json& version) {
    return version.value("rates", std::vector<double>());
  };
  const std::vector<double> first = rates_of(canary);
  const std::vector<double> second = rates_of(stable);
  if (first.size() < k_least || first.size() != second.size()) {
    return {};
  }
  const auto mean = [](const std::vector<double>& rates) {
    return std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(rates.size());
  };
  const stats::Interval interval = stats::bootstrap_difference(first, second, 0.95, k_resamples, 1);
  return cat("  by ", format("%.2g", 100 * (mean(first) - mean(second))),
             " points (95 %: ", format("%.2g", 100 * interval.low), " to ",
             format("%.2g", 100 * interval.high), ", ", first.size(), " windows)\n");
}

/// Only for the report: no policy decides by it (stats/posterior.hpp).
std::string comparison(const Json& versions) {
  const stats::Counts stable = counts_of(versions[0]);
  const stats::Counts canary = counts_of(versions[1]);
  if (stable.n < 1 || canary.n < 1 || stable.k > stable.n || canary.k > canary.n) {
    return {};
  }
  const double worse = stats::posterior_worse(canary, stable);
  const std::string percent = worse > 0.999   ? "more than 99.9"
                              : worse < 0.001 ? "less than 0.1"
                                              : format("%.1f", 100 * worse);
  return cat("  it fails more often than stable with a probability of ", percent, " %\n",
             difference(versions[0], versions[1]));
}

std::string versions_of(const Json& release) {
  const Json* versions = data::find_path(release, {"status", "measured", "versions"});
  if (versions == nullptr || versions->size() != 2) {
    return {};
  }
  std::vector<std::vector<std::string>> rows;
  for (const Json& version : *versions) {
    const stats::Counts counts = counts_of(version);
    rows.push_back({cat("  ", data::string_at(version, {"name"})),
                    cat(format("%.0f", counts.n), " requests"),
                    cat(format("%.0f", counts.k), " errors"),
                    counts.n > 0 ? cat(format("%.3g", 100 * counts.k / counts.n), " %") : "-"});
  }
  const auto weight = data::int_at(release, {"status", "measured", "weight"});
  const double seconds = release["status"]["measured"].value("seconds", 0.0);
  return cat("  at ", weight, " % for ", format("%.0f", seconds), " s:\n", layout(rows),
             comparison(*versions));
}

std::string policies_of(const Json& release) {
  std::string text;
  const Json* policies = data::find_path(release, {"status", "policies"});
  for (std::size_t i = 0; policies != nullptr && i < policies->size(); ++i) {
    const Json& policy = (*policies)[i];
    const std::string_view message = data::string_at(policy, {"message"});
    text += cat("  ", data::string_at(policy, {"name"}), ": ", data::string_at(policy, {"outcome"}),
                message.empty() ? "" : ", ", message, '\n');
  }
  return text;
}

}  // namespace

std::string canary_lines(const Json& release) {
  std::string moves = cat("  ", data::string_at(release, {"spec", "destination"}), ": ",
                          data::string_at(release, {"spec", "stable"}), " -> ",
                          data::string_at(release, {"spec", "canary"}), ", attempt ",
                          data::int_at(release, {"status", "attempt"}, 1));
  if (const auto next = data::int_at(release, {"status", "nextWeight"}); next > 0) {
    moves += cat(", next ", next, " %");
  }
  return util::printable(cat(canary().line(release), '\n', moves, '\n', steps_of(release),
                             versions_of(release), policies_of(release)));
}

Json canary_json(const Json& release) {
  Json shown{{"name", data::string_at(release, {"metadata", "name"})},
             {"namespace", data::string_at(release, {"metadata", "namespace"})}};
  for (const char* field : {"destination", "stable", "canary"}) {
    shown[field] = data::string_at(release, {"spec", field});
  }
  for (const char* field : {"state", "reason", "message", "attempt", "weight", "nextWeight", "wave",
                            "measured", "policies"}) {
    if (const Json* value = data::find_path(release, {"status", field})) {
      shown[field] = *value;
    }
  }
  return shown;
}

}  // namespace kubist::cli
