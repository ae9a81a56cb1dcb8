#include <cmath>

#include <kubist/data/pointer.hpp>
#include <kubist/policies/statistical_state.hpp>
#include <kubist/util/text.hpp>

namespace kubist::policies {
namespace {

using data::Json;
using stats::Counts;
using stats::EProcess;
using util::ErrorKind;
using util::Result;

// Short, and never more evidence than there is.
Json write_process(const EProcess& process, std::size_t alternatives) {
  Json list = Json::array();
  for (std::size_t j = 0; j < alternatives; ++j) {
    list.push_back(std::floor(process.log_products[j] * 1e6) / 1e6);
  }
  return list;
}

Json write_counts(const Counts& counts) { return Json::array({counts.n, counts.k}); }

// The alternatives of a proof: stats::better_than().
std::size_t proof_alternatives() { return stats::better_than({1, 0}, 0.1).alternatives; }

Json write_series(const SeriesState& series, const stats::RestartedEProcess& abort) {
  Json processes = Json::array();
  for (const EProcess& process : abort.processes) {
    processes.push_back(write_process(process, stats::k_max_alternatives));
  }
  const stats::Overdispersion& stable = series.stable;
  return {{"stable", {stable.windows, stable.requests, stable.mean, stable.scatter}},
          {"canaryStep", write_counts(series.step.canary)},
          {"stableStep", write_counts(series.step.stable)},
          {"proof", write_process(series.proof, proof_alternatives())},
          {"abort", std::move(processes)}};
}

auto unreadable(std::string_view what) {
  return util::fail(ErrorKind::invalid,
                    util::cat("the state of the statistical policy cannot be read: ", what),
                    "It is of another version or of other parameters: start the canary again.");
}

// Exactly `count` finite numbers.
Result<std::vector<double>> read_numbers(const Json& json, const char* field, std::size_t count) {
  const auto found = json.is_object() ? json.find(field) : json.end();
  const Json& list = json.is_object() && found != json.end() ? *found : json;
  std::vector<double> numbers;
  if (list.is_array() && list.size() == count) {
    for (const Json& number : list) {
      if (number.is_number() && std::isfinite(number.get<double>())) {
        numbers.push_back(number.get<double>());
      }
    }
  }
  if (numbers.size() != count) {
    return unreadable(field);
  }
  return numbers;
}

EProcess process_of(const std::vector<double>& numbers) {
  EProcess process;
  std::copy(numbers.begin(), numbers.end(), process.log_products.begin());
  return process;
}

Result<> read_series(const Json& json, SeriesState& series, stats::RestartedEProcess& abort) {
  KUBIST_TRY(const auto stable, read_numbers(json, "stable", 4));
  KUBIST_TRY(const auto canary_step, read_numbers(json, "canaryStep", 2));
  KUBIST_TRY(const auto stable_step, read_numbers(json, "stableStep", 2));
  KUBIST_TRY(const auto proof, read_numbers(json, "proof", proof_alternatives()));
  series = {{stable[0], stable[1], stable[2], stable[3]},
            process_of(proof),
            {{canary_step[0], canary_step[1]}, {stable_step[0], stable_step[1]}}};
  const auto processes = json.find("abort");
  if (processes == json.end() || !processes->is_array()) {
    return unreadable("abort");
  }
  for (const Json& process : *processes) {
    KUBIST_TRY(const auto numbers, read_numbers(process, "abort", stats::k_max_alternatives));
    abort.processes.push_back(process_of(numbers));
  }
  return {};
}

double rounded_percent(double share) { return std::round(share * 1e6) / 1e4; }

}  // namespace

Json to_json(const StatisticalState& state) {
  Json series = Json::array();
  for (std::size_t i = 0; i < state.series.size(); ++i) {
    series.push_back(write_series(state.series[i], state.aborts[i]));
  }
  return {{"step", state.step},
          {"windows", state.windows},
          {"largestLogE", state.largest_log_e},
          {"series", std::move(series)}};
}

Result<StatisticalState> statistical_state(const Json& json,
                                           const StatisticalParameters& parameters) {
  StatisticalState state = initial_state(parameters);
  const auto series = json.is_object() ? json.find("series") : json.end();
  if (!json.is_object() || series == json.end() || !series->is_array() ||
      series->size() != state.series.size()) {
    return unreadable("series");
  }
  for (const char* field : {"step", "windows", "largestLogE"}) {
    const auto found = json.find(field);
    if (found == json.end() || !found->is_number() || found->get<double>() < 0) {
      return unreadable(field);
    }
  }
  state.step = static_cast<std::size_t>(data::count_at(json, {"step"}));
  state.windows = data::count_at(json, {"windows"});
  state.largest_log_e = json["largestLogE"].get<double>();
  for (std::size_t i = 0; i < state.series.size(); ++i) {
    KUBIST_CHECK(read_series((*series)[i], state.series[i], state.aborts[i]));
    if (state.aborts[i].processes.size() != state.aborts[0].processes.size()) {
      return unreadable("abort");
    }
  }
  return state;
}

Json to_json(const StatisticalParameters& parameters, const StatisticalDecision& decision) {
  const StatisticalEvidence& evidence = decision.evidence;
  return {{"verdict", to_string(decision.verdict)},
          {"reason", decision.reason},
          {"message", explain(parameters, decision)},
          {"metric", parameters.metrics[evidence.metric].name},
          {"cluster", evidence.cluster},
          {"pValue", evidence.p_value},
          {"logE", evidence.log_e},
          {"logProof", std::isfinite(evidence.log_proof) ? Json(evidence.log_proof) : Json()},
          {"allowedPercent", rounded_percent(evidence.allowed)},
          {"correlation", evidence.correlation},
          {"canary", {{"requests", evidence.step.canary.n}, {"failures", evidence.step.canary.k}}},
          {"stable", {{"requests", evidence.step.stable.n}, {"failures", evidence.step.stable.k}}}};
}

}  // namespace kubist::policies
