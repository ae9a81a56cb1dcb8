#include "judges/window_values.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <kubist/data/pointer.hpp>
#include <kubist/release/query.hpp>
#include <kubist/util/text.hpp>

namespace kubist::policies {

using data::Json;
using util::cat;

namespace {

constexpr std::array<std::string_view, 6> k_counts{"requests", "errors",    "successes",
                                                   "rps",      "errorRate", "successRate"};
constexpr std::array<std::pair<std::string_view, double>, 6> k_quantiles{
    {{"p50", 0.5}, {"p75", 0.75}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p999", 0.999}}};

Value number(double value) { return {value, "", ""}; }

const Json& window_of(const Json& metrics) {
  static const Json k_none = Json::object();
  const Json* window = data::find_path(metrics, {"window"});
  return window != nullptr ? *window : k_none;
}

/// The first bound that the share of requests does not exceed: what it is between two bounds nobody
/// knows, so never too small.
Value quantile(const Json& arm, const std::string& version, double share) {
  const Json* buckets = data::find_path(arm, {"latency"});
  const double total =
      buckets == nullptr || buckets->empty() ? 0 : buckets->back().value("count", 0.0);
  if (total <= 0) {
    return {0, "NoData", cat("no request of ", version, " was timed in this window")};
  }
  for (const Json& bucket : *buckets) {
    if (bucket.value("count", 0.0) >= share * total && bucket["le"].is_number()) {
      return number(bucket["le"].get<double>());
    }
  }
  return number(std::numeric_limits<double>::infinity());
}

}  // namespace

WindowValues::WindowValues(const Json& metrics, const release::Plan& plan)
    : m_metrics(metrics), m_window(window_of(metrics)), m_plan(plan) {}

const std::vector<std::string>& WindowValues::names_of_version() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> made(k_counts.begin(), k_counts.end());
    for (const auto& [name, share] : k_quantiles) {
      made.emplace_back(name);
    }
    made.insert(made.end(), release::k_workload_numbers.begin(), release::k_workload_numbers.end());
    return made;
  }();
  return all;
}

const std::vector<std::string>& WindowValues::names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> made{"weight"};
    for (const char* arm : {"canary.", "stable."}) {
      for (const std::string& name : names_of_version()) {
        made.push_back(cat(arm, name));
      }
    }
    return made;
  }();
  return all;
}

Value WindowValues::get(const std::string& name) const {
  if (name == "weight") {
    return number(m_window.value("weight", 0.0));
  }
  if (release::read_workload_query(name)) {
    return workload(name);
  }
  const std::string& version = name.starts_with("canary.") ? m_plan.canary : m_plan.stable;
  const std::string_view what = std::string_view(name).substr(name.find('.') + 1);
  const Json* found = data::find_path(m_window, {"arms", version});
  if (found == nullptr) {
    return {0, "NoData", cat("nothing is known of version ", version)};
  }
  const Json& arm = *found;
  for (const auto& [quantile_name, share] : k_quantiles) {
    if (what == quantile_name) {
      return quantile(arm, version, share);
    }
  }
  const double requests = arm.value("requests", 0.0);
  const double errors = arm.value("errors", 0.0);
  if (what == "requests" || what == "errors" || what == "successes") {
    return number(what == "requests" ? requests : what == "errors" ? errors : requests - errors);
  }
  if (what == "rps") {
    return number(requests / std::max(m_window.value("seconds", 0.0), 1e-3));
  }
  if (requests <= 0) {
    return {0, "NoTraffic", cat("version ", version, " had no request in this window")};
  }
  return number(what == "errorRate" ? errors / requests : 1 - errors / requests);
}

Value WindowValues::workload(const std::string& name) const {
  const bool least = release::read_workload_query(name)->number == release::k_availability;
  std::vector<Value> all = answers(name);
  Value sum = all.front();
  for (std::size_t i = 1; i < all.size(); ++i) {
    sum.number = least ? std::min(sum.number, all[i].number) : sum.number + all[i].number;
  }
  return sum;
}

std::vector<Value> WindowValues::answers(const std::string& name) const {
  const Json answer = m_metrics.value(name, Json::object());
  if (answer.contains("value")) {
    return {number(answer["value"].get<double>())};
  }
  std::vector<Value> all;
  for (const Json& cluster : answer.value("clusters", Json::array())) {
    all.push_back(number(cluster["value"].get<double>()));
  }
  if (all.empty()) {
    all.push_back({0, std::string(data::string_at(answer, {"reason"}, "NoData")),
                   std::string(data::string_at(answer, {"message"}, "the query was not asked"))});
  }
  return all;
}

engine::Queries workload_queries(const std::vector<std::string>& names) {
  engine::Queries queries;
  for (const std::string& name : names) {
    if (auto query = release::read_workload_query(name)) {
      queries.emplace(name, *std::move(query));
    }
  }
  return queries;
}

}  // namespace kubist::policies
