#include <kubist/data/pointer.hpp>
#include <kubist/release/experiment_observation.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/duration.hpp>

namespace kubist::experiment {

using data::Json;

namespace {

Json variant_of(const std::string& name, const Totals& totals) {
  return {{"name", name},
          {"samples", totals.n},
          {"sum", totals.sum},
          {"squares", totals.squares},
          {"value", totals.n > 0 ? totals.sum / totals.n : 0}};
}

void add(const Totals& now, const Totals& before, GoalKind kind, Totals& into) {
  const Totals more{now.n - before.n, now.sum - before.sum, now.squares - before.squares};
  const bool shrank =
      more.n < 0 || more.squares < 0 || (kind == GoalKind::conversion && more.sum < 0);
  const Totals sum{into.n + more.n, into.sum + more.sum, into.squares + more.squares};
  if (!shrank && more.n > 0 && are_plausible(sum, kind)) {
    into = sum;
  }
}

}  // namespace

std::vector<std::vector<Totals>> gather(const Plan& plan, const Progress& before,
                                        const std::vector<std::vector<Totals>>& counters) {
  auto gathered = before.gathered;
  if (gathered.empty()) {
    gathered.assign(plan.goals.size(), std::vector<Totals>(plan.variants.size()));
  }
  for (std::size_t goal = 0; goal < before.last.size(); ++goal) {
    for (std::size_t i = 0; i < counters[goal].size(); ++i) {
      add(counters[goal][i], before.last[goal][i], plan.goals[goal].kind, gathered[goal][i]);
    }
  }
  return gathered;
}

Json observation(const Plan& plan, const Progress& before, const std::optional<Reading>& reading) {
  const bool read = reading && !reading->counters.empty();
  const auto gathered = read ? gather(plan, before, reading->counters) : before.gathered;
  Json goals = Json::array();
  for (std::size_t goal = 0; goal < gathered.size(); ++goal) {
    Json variants = Json::array();
    for (std::size_t i = 0; i < gathered[goal].size(); ++i) {
      variants.push_back(variant_of(plan.variants[i].name, gathered[goal][i]));
    }
    const Goal& each = plan.goals[goal];
    goals.push_back({{"name", each.name},
                     {"kind", each.kind == GoalKind::mean ? "Mean" : "Conversion"},
                     {"direction", each.increase ? "Increase" : "Decrease"},
                     {"variants", std::move(variants)}});
  }
  return {{"apiVersion", resources::k_kubist_api_version},
          {"kind", "ExperimentObservation"},
          {"metadata", {{"name", plan.route}}},
          {"read", read},
          {"at", reading ? Json(util::format_time(reading->at)) : Json()},
          {"reason", reading ? reading->reason : ""},
          {"message", reading ? reading->message : ""},
          {"goals", std::move(goals)}};
}

std::optional<std::vector<std::vector<Totals>>> read_observation(const Json& observation,
                                                                 const Plan& plan) {
  const Json& goals = data::array_at(observation, {"goals"});
  if (!data::bool_at(observation, {"read"}) || goals.size() != plan.goals.size()) {
    return std::nullopt;
  }
  std::vector<std::vector<Totals>> totals;
  for (const Json& goal : goals) {
    const Json& variants = data::array_at(goal, {"variants"});
    if (variants.size() != plan.variants.size()) {
      return std::nullopt;
    }
    const GoalKind kind = plan.goals[totals.size()].kind;
    auto& row = totals.emplace_back();
    for (const Json& each : variants) {
      row.push_back({data::number_at(each, {"samples"}, 0), data::number_at(each, {"sum"}, 0),
                     data::number_at(each, {"squares"}, 0)});
      if (!are_plausible(row.back(), kind)) {
        return std::nullopt;
      }
    }
  }
  return totals;
}

}  // namespace kubist::experiment
