#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/release/progress.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

namespace kubist::release {

using data::Json;

namespace {

// null takes a field out of the status.
Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

bool is_moved(const Progress& progress) { return progress.weight != 0 || progress.at_zero; }

Json to_json(const Progress& progress) {
  const std::string going_back =
      progress.aborting ? "Abort" : (progress.replacing ? "NewTarget" : "");
  return {{"state", to_string(progress.state)},
          {"attempt", progress.attempt},
          {"weight", progress.weight},
          {"atZero", progress.at_zero ? Json(true) : Json()},
          {"wave", progress.waves > 1 ? Json{{"number", progress.wave + 1},
                                             {"of", progress.waves},
                                             {"from", progress.from}}
                                      : Json()},
          {"target", text_or_null(progress.target)},
          {"reason", text_or_null(progress.reason)},
          {"message", text_or_null(progress.message)},
          {"pausedBy", text_or_null(progress.paused_by)},
          {"goingBackFor", text_or_null(going_back)},
          {"since", util::format_time(progress.since)},
          {"observedAt",
           progress.observed_at ? Json(util::format_time(*progress.observed_at)) : Json()}};
}

Json history_after(Json history, const Progress& before, const Progress& after, Time now) {
  constexpr std::size_t k_most = 50;
  constexpr std::size_t k_longest_message = 1024;  // all of them have to fit into a status
  if (before.state == after.state && before.attempt == after.attempt &&
      before.weight == after.weight && before.wave == after.wave) {
    return history;
  }
  if (!history.is_array()) {
    history = Json::array();
  }
  Json entry{{"at", util::format_time(now)},
             {"attempt", after.attempt},
             {"state", to_string(after.state)},
             {"weight", after.weight}};
  if (after.waves > 1 && is_moved(after)) {
    entry["wave"] = after.wave + 1;
  }
  if (!after.reason.empty()) {
    entry["reason"] = after.reason;
  }
  if (!after.message.empty()) {
    entry["message"] = util::shortened(after.message, k_longest_message, "");
  }
  history.push_back(std::move(entry));
  while (history.size() > k_most) {
    history.erase(history.begin());
  }
  return history;
}

Progress read_progress(const Json& status) {
  Progress progress;
  progress.state = read_state(data::string_at(status, {"state"}));
  progress.attempt = data::count_at(status, {"attempt"}, 1);
  progress.weight = std::min(100, data::count_at(status, {"weight"}));
  progress.at_zero = data::bool_at(status, {"atZero"});
  progress.wave = data::count_at(status, {"wave", "number"}, 1) - 1;
  progress.waves = data::count_at(status, {"wave", "of"}, 1);
  progress.from = std::min(100, data::count_at(status, {"wave", "from"}));
  progress.target = data::string_at(status, {"target"});
  progress.reason = data::string_at(status, {"reason"});
  progress.message = data::string_at(status, {"message"});
  progress.paused_by = data::string_at(status, {"pausedBy"});
  const std::string_view going_back = data::string_at(status, {"goingBackFor"});
  progress.aborting = going_back == "Abort";
  progress.replacing = going_back == "NewTarget";
  progress.since = util::parse_time(data::string_at(status, {"since"})).value_or(Time{});
  if (const auto time = util::parse_time(data::string_at(status, {"observedAt"}))) {
    progress.observed_at = *time;
  }
  return progress;
}

}  // namespace kubist::release
