#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/release/experiment_progress.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/words.hpp>

namespace kubist::experiment {

using data::Json;

namespace {

constexpr util::Word<State> k_states[] = {
    {State::pending, "Pending"},     {State::running, "Running"},   {State::paused, "Paused"},
    {State::finishing, "Finishing"}, {State::finished, "Finished"}, {State::aborted, "Aborted"}};

// null takes a field out of the status.
Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }
Json time_or_null(const std::optional<Time>& time) {
  return time ? Json(util::format_time(*time)) : Json();
}
std::optional<Time> time_at(const Json& status, std::string_view field) {
  const auto time = util::parse_time(data::string_at(status, {field}));
  return time ? std::optional(*time) : std::nullopt;
}

Json to_json(const std::vector<std::vector<Totals>>& totals) {
  Json goals = Json::array();
  for (const auto& variants : totals) {
    Json row = Json::array();
    for (const Totals& each : variants) {
      row.push_back(Json::array({each.n, each.sum, each.squares}));
    }
    goals.push_back(std::move(row));
  }
  return goals;
}

std::optional<Totals> totals_from(const Json& json, GoalKind kind) {
  if (!json.is_array() || json.size() != 3 || !json[0].is_number() || !json[1].is_number() ||
      !json[2].is_number()) {
    return std::nullopt;
  }
  const Totals totals{json[0].get<double>(), json[1].get<double>(), json[2].get<double>()};
  return are_plausible(totals, kind) ? std::optional(totals) : std::nullopt;
}

/// Empty where the shape is not the plan's, or the numbers are no totals.
std::vector<std::vector<Totals>> read_totals(const Json* json, const Plan& plan) {
  std::vector<std::vector<Totals>> totals;
  if (json == nullptr || !json->is_array() || json->size() != plan.goals.size()) {
    return totals;
  }
  for (const Json& goal : *json) {
    if (!goal.is_array() || goal.size() != plan.variants.size()) {
      return {};
    }
    const GoalKind kind = plan.goals[totals.size()].kind;
    auto& row = totals.emplace_back();
    for (const Json& each : goal) {
      const auto read = totals_from(each, kind);
      if (!read) {
        return {};
      }
      row.push_back(*read);
    }
  }
  return totals;
}

/// Nothing where they are not those of the plan's variants.
std::vector<int> read_shares(const Json* json, const Plan& plan) {
  std::vector<int> shares;
  for (const Json& each : json != nullptr && json->is_array() ? *json : Json::array()) {
    shares.push_back(each.is_number_integer() ? each.get<int>() : 0);
  }
  const bool good = shares.size() == plan.variants.size() &&
                    std::all_of(shares.begin(), shares.end(), [](int share) { return share > 0; });
  return good && plan.assignment != Assignment::fixed ? shares : std::vector<int>{};
}

Json to_json(const std::vector<GoalReport>& report) {
  Json goals = Json::array();
  for (const GoalReport& goal : report) {
    Json variants = Json::array();
    for (const Row& row : goal.rows) {
      Json entry{{"name", row.variant}, {"samples", row.n}, {"value", row.value}};
      if (row.control) {
        entry["difference"] = row.control->difference;
        if (row.control->low) {
          entry.update(
              {{"low", *row.control->low}, {"high", *row.control->high}, {"p", row.control->p}});
        }
      }
      variants.push_back(std::move(entry));
    }
    goals.push_back({{"goal", goal.goal}, {"variants", std::move(variants)}});
  }
  return goals;
}

}  // namespace

bool is_final(State state) { return state == State::finished || state == State::aborted; }

std::string_view to_string(State state) { return util::word_of(k_states, state); }

State read_state(std::string_view text) {
  return util::value_of(k_states, text).value_or(State::pending);
}

Json to_json(const Progress& progress) {
  Json json{{"state", to_string(progress.state)},
            {"reason", text_or_null(progress.reason)},
            {"message", text_or_null(progress.message)},
            {"pausedBy", text_or_null(progress.paused_by)},
            {"winner", text_or_null(progress.winner)},
            {"aborting", progress.aborting ? Json(true) : Json()},
            {"forSpec", text_or_null(progress.for_spec)},
            {"since", util::format_time(progress.since)},
            {"startedAt", time_or_null(progress.started_at)},
            {"readAt", time_or_null(progress.read_at)},
            {"cursor", Json()}};
  if (!progress.gathered.empty() && !is_final(progress.state)) {
    json["cursor"] = {{"plan", progress.plan},
                      {"last", to_json(progress.last)},
                      {"gathered", to_json(progress.gathered)}};
  }
  json["assignment"] = progress.shares.empty() ? Json() : Json{{"shares", progress.shares}};
  if (!progress.shares.empty() && progress.seed) {
    json["assignment"]["seed"] = *progress.seed;
  }
  if (!progress.report.empty()) {
    json["report"] = to_json(progress.report);  // else the one before stays
  }
  return json;
}

Progress read_progress(const Json& status, const Plan& plan) {
  Progress progress;
  progress.state = read_state(data::string_at(status, {"state"}));
  progress.reason = data::string_at(status, {"reason"});
  progress.message = data::string_at(status, {"message"});
  if (progress.message.empty() && progress.state != State::pending) {
    progress.message = "its status does not say why";  // somebody else wrote it
  }
  progress.paused_by = data::string_at(status, {"pausedBy"});
  progress.winner = data::string_at(status, {"winner"});
  progress.aborting = data::bool_at(status, {"aborting"});
  progress.for_spec = data::string_at(status, {"forSpec"});
  progress.since = time_at(status, "since").value_or(Time{});
  progress.started_at = time_at(status, "startedAt");
  progress.read_at = time_at(status, "readAt");
  progress.plan = plan.hash;
  if (plan.assignment == Assignment::thompson) {
    progress.seed = plan.seed;
  }
  if (data::string_at(status, {"cursor", "plan"}) == plan.hash) {
    progress.last = read_totals(data::find_path(status, {"cursor", "last"}), plan);
    progress.gathered = read_totals(data::find_path(status, {"cursor", "gathered"}), plan);
    progress.shares = read_shares(data::find_path(status, {"assignment", "shares"}), plan);
  }
  return progress;
}

}  // namespace kubist::experiment
