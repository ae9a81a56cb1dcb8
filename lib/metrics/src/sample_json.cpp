#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <kubist/metrics/sample.hpp>
#include <kubist/util/duration.hpp>

// {"at": "...", "source": "envoy", "bounds": [[0.5, 1, 5]], "arms": {"v1": [
//   ["pod|80", requests, errors, missed, sum, which bounds, leading empty buckets, increment,
//   ...]]}}
// A series without latencies ends after `missed`. Bounds leave +Inf out.
namespace kubist::metrics {

using data::Json;

namespace {

constexpr std::size_t k_plain_fields = 4;
constexpr std::size_t k_latency_fields = 7;
constexpr double k_infinity = std::numeric_limits<double>::infinity();

/// Counters are whole numbers, and shorter so.
Json number(double value) {
  constexpr double k_exact = 9007199254740992.0;  // 2^53
  if (value == std::floor(value) && std::abs(value) <= k_exact) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

using Bounds = std::map<Json, std::size_t>;  ///< with the place of each in the list

std::size_t index_of_bounds(const std::vector<Bucket>& buckets, Bounds& all) {
  Json bounds = Json::array();
  for (const Bucket& bucket : buckets) {
    if (bucket.le != k_infinity) {
      bounds.push_back(number(bucket.le));
    }
  }
  return all.emplace(std::move(bounds), all.size()).first->second;
}

Json write_series(const Series& series, Bounds& bounds) {
  Json row{series.id, number(series.requests), number(series.errors), series.missed};
  if (series.latency_ms.empty()) {
    return row;
  }
  row.push_back(number(series.latency_sum_ms));
  row.push_back(index_of_bounds(series.latency_ms, bounds));
  const auto first = std::find_if(series.latency_ms.begin(), series.latency_ms.end(),
                                  [](const Bucket& bucket) { return bucket.count != 0; });
  row.push_back(static_cast<std::size_t>(first - series.latency_ms.begin()));
  double last = 0;
  std::size_t used = row.size();
  for (auto bucket = first; bucket != series.latency_ms.end(); ++bucket) {
    row.push_back(number(bucket->count - last));
    used = bucket->count != last ? row.size() : used;
    last = bucket->count;
  }
  row.erase(row.begin() + static_cast<std::ptrdiff_t>(used), row.end());
  return row;
}

bool all_numbers(const Json& row, std::size_t from) {
  return std::all_of(row.begin() + static_cast<std::ptrdiff_t>(from), row.end(),
                     [](const Json& field) { return field.is_number(); });
}

/// Signed or not: that depends on the parser that read it.
bool is_index(const Json& field) { return field.is_number_integer() && field >= 0; }

bool read_latency(const Json& row, const Json& bounds, Series& series) {
  if (row.size() < k_latency_fields || !is_index(row[5]) || !is_index(row[6])) {
    return false;
  }
  const auto which = row[5].get<std::size_t>();
  if (which >= bounds.size() || !bounds[which].is_array() || !all_numbers(bounds[which], 0)) {
    return false;
  }
  for (const Json& le : bounds[which]) {
    series.latency_ms.push_back({le.get<double>(), 0});
  }
  series.latency_ms.push_back({k_infinity, 0});
  series.latency_sum_ms = row[4].get<double>();
  const auto lead = row[6].get<std::size_t>();
  const std::size_t given = row.size() - k_latency_fields;
  if (lead > series.latency_ms.size() || given > series.latency_ms.size() - lead) {
    return false;
  }
  double count = 0;
  for (std::size_t i = lead; i < series.latency_ms.size(); ++i) {
    count += i - lead < given ? row[k_latency_fields + i - lead].get<double>() : 0;
    series.latency_ms[i].count = count;
  }
  return true;
}

bool read_series(const Json& row, const Json& bounds, Series& series) {
  if (!row.is_array() || row.size() < k_plain_fields || !row[0].is_string() ||
      !all_numbers(row, 1) || !row[3].is_number_integer()) {
    return false;
  }
  series.id = row[0].get<std::string>();
  series.requests = row[1].get<double>();
  series.errors = row[2].get<double>();
  series.missed = row[3].get<int>();
  return row.size() == k_plain_fields || read_latency(row, bounds, series);
}

tl::unexpected<util::Error> bad(std::string_view what) {
  return util::fail(util::ErrorKind::invalid,
                    "the saved counters are not what kubist writes: " + std::string(what));
}

}  // namespace

Json to_json(const Sample& sample) {
  Bounds bounds;
  Json arms = Json::object();
  for (const auto& [version, all] : sample.arms) {
    Json& rows = arms[version] = Json::array();
    for (const Series& series : all) {
      rows.push_back(write_series(series, bounds));
    }
  }
  Json json{{"at", util::format_micro_time(sample.at)},
            {"source", sample.source},
            {"arms", std::move(arms)}};
  for (const auto& [each, index] : bounds) {
    json["bounds"][index] = each;
  }
  return json;
}

util::Result<Sample> read_sample(const Json& json) {
  if (!json.is_object() || !json.contains("at") || !json["at"].is_string() ||
      !json.contains("source") || !json["source"].is_string() || !json.contains("arms") ||
      !json["arms"].is_object()) {
    return bad("at, source and arms are missing");
  }
  Sample sample;
  KUBIST_TRY(sample.at, util::parse_time(json["at"].get<std::string>()));
  sample.source = json["source"].get<std::string>();
  const Json bounds = json.contains("bounds") ? json["bounds"] : Json::array();
  if (!bounds.is_array()) {
    return bad("bounds are no list");
  }
  for (const auto& [version, rows] : json["arms"].items()) {
    if (!rows.is_array()) {
      return bad("an arm is no list");
    }
    std::vector<Series>& arm = sample.arms[version];
    for (const Json& row : rows) {
      if (!read_series(row, bounds, arm.emplace_back())) {
        return bad("a series cannot be read");
      }
    }
  }
  return sample;
}

}  // namespace kubist::metrics
