#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/release/window.hpp>
#include <kubist/util/text.hpp>

namespace kubist::release {

using data::Json;
using util::cat;

namespace {

bool has_window(const Measurement& measured) { return !measured.window.contains("reason"); }

/// Latencies are summed where the bounds are the same, else nothing is known of them.
Json summed(const Json& a, const Json& b) {
  Json sum{{"requests", a.value("requests", 0.0) + b.value("requests", 0.0)},
           {"errors", a.value("errors", 0.0) + b.value("errors", 0.0)},
           {"latency", a["latency"]}};
  const Json& other = b["latency"];
  bool same = sum["latency"].size() == other.size();
  for (std::size_t i = 0; same && i < other.size(); ++i) {
    same = sum["latency"][i]["le"] == other[i]["le"];
    sum["latency"][i]["count"] =
        sum["latency"][i]["count"].get<double>() + other[i]["count"].get<double>();
  }
  if (!same) {
    sum["latency"] = Json::array();
  }
  return sum;
}

/// Whose reason is told: of one that has no window for another reason than that it is still open.
const std::pair<const std::string, Measurement>* find_without(
    const std::map<std::string, Measurement>& all) {
  const std::pair<const std::string, Measurement>* without = nullptr;
  for (const auto& each : all) {
    const bool open = data::string_at(each.second.window, {"reason"}) == "WindowOpen";
    if (!has_window(each.second) && (without == nullptr || !open)) {
      without = &each;
    }
  }
  return without;
}

Json joined_windows(const std::map<std::string, Measurement>& all, int weight) {
  Json arms = Json::object();
  Json clusters = Json::array();
  double seconds = 0;
  for (const auto& [cluster, measured] : all) {
    const Json& own = measured.window["arms"];
    clusters.push_back({{"name", cluster}, {"arms", own}});
    seconds = std::max(seconds, measured.window["seconds"].get<double>());
    for (const auto& [version, counts] : own.items()) {
      arms[version] = arms.contains(version) ? summed(arms[version], counts) : counts;
    }
  }
  return {{"seconds", seconds}, {"weight", weight}, {"arms", arms}, {"clusters", clusters}};
}

}  // namespace

Measurement joined(const std::map<std::string, Measurement>& all, int weight, const Json* cursors) {
  const auto* without = find_without(all);
  Json next = Json::object();
  for (const auto& [cluster, measured] : all) {
    const Json* before = cursors != nullptr ? data::find_path(*cursors, {cluster}) : nullptr;
    const bool goes_on = before != nullptr && without != nullptr &&
                         (has_window(measured) || measured.cursor.is_null());
    next[cluster] = goes_on ? *before : measured.cursor;
  }
  if (without == nullptr) {
    return {joined_windows(all, weight), std::move(next)};
  }
  const Json& window = without->second.window;
  return {no_window(data::string_at(window, {"reason"}),
                    cat(without->first, ": ", data::string_at(window, {"message"}))),
          std::move(next)};
}

bool is_between(const Json& window) {
  const std::string_view reason = data::string_at(window, {"reason"});
  return reason == "WindowOpen" || reason == "WindowBegins" || reason == "NotObserved";
}

Json no_window(std::string_view reason, std::string_view message) {
  return {{"reason", reason}, {"message", message}};
}

bool is_measured(const Progress& progress) {
  return progress.observed_at && progress.state != State::paused && !is_final(progress.state);
}

bool is_window_over(const Plan& plan, Time began, Time now) {
  constexpr double k_early = 0.8;
  return now - began >=
         std::chrono::duration<double>(k_early * static_cast<double>(plan.interval.count()));
}

}  // namespace kubist::release
