#include <cmath>
#include <map>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/metrics/prometheus.hpp>
#include <kubist/metrics/recording.hpp>
#include <kubist/util/text.hpp>

#include "prometheus_counters.hpp"
#include "prometheus_reply.hpp"

namespace kubist::metrics {

using data::Json;
using util::cat;
using util::ErrorKind;
using util::Result;

namespace {

using Instants = std::map<std::chrono::milliseconds, std::vector<Point>>;  ///< since 1970

constexpr double k_last_time = 7258118400;  // the year 2200

tl::unexpected<util::Error> misshapen(const std::string& origin, const std::string& where,
                                      const std::string& what) {
  return util::fail(ErrorKind::invalid, cat(origin, ": ", where, ": ", what),
                    "Save the answer of /api/v1/query_range as it is.");
}

Result<const Json*> read_matrix(const Json& envelope, const std::string& origin) {
  if (data::string_at(envelope, {"status"}) == "error") {
    return util::fail(ErrorKind::invalid,
                      cat(origin, ": Prometheus answered with an error: ",
                          util::printable(data::string_at(envelope, {"error"}))));
  }
  const std::string_view type = data::string_at(envelope, {"data", "resultType"});
  const Json* result = data::find_path(envelope, {"data", "result"});
  if (type != "matrix" || result == nullptr || !result->is_array()) {
    return misshapen(origin, "data.resultType",
                     cat("\"", util::printable(type), "\" is not a matrix of a range of time"));
  }
  return result;
}

Result<> add_series(const Json& element, const std::string& where, const std::string& origin,
                    Instants& instants) {
  Point point;
  const Json* values = data::find_path(element, {"values"});
  if (!read_labels(element, point) || values == nullptr || !values->is_array()) {
    return misshapen(origin, where, "it has no metric and values of numbers");
  }
  for (std::size_t i = 0; i < values->size(); ++i) {
    if (!read_value((*values)[i], point) || !(point.at >= 0 && point.at <= k_last_time)) {
      return misshapen(origin, cat(where, ".values[", i, "]"),
                       "it is no pair of a time and a number in quotes");
    }
    instants[std::chrono::milliseconds(std::llround(point.at * 1000))].push_back(point);
  }
  return {};
}

}  // namespace

Result<std::vector<Sample>> read_recording(std::string_view text, const std::string& origin,
                                           const Subject& subject) {
  data::ReadOptions options;
  options.big_integers = data::BigIntegers::as_float;
  KUBIST_TRY(const Json envelope, data::parse_json(text, origin, options));
  KUBIST_TRY(const Json* result, read_matrix(envelope, origin));
  Instants instants;
  for (std::size_t i = 0; i < result->size(); ++i) {
    KUBIST_CHECK(add_series((*result)[i], cat("data.result[", i, "]"), origin, instants));
  }
  std::vector<Sample> samples;
  std::string why;
  for (const auto& [time, points] : instants) {
    const std::chrono::system_clock::time_point at(time);
    auto sample = PrometheusCounters(points).sample_of(subject, at, PrometheusOptions{}.max_age);
    if (sample) {
      samples.push_back(*std::move(sample));
    } else if (why.empty()) {
      why = cat(": ", sample.error().message);
    }
  }
  if (samples.size() < 2) {
    return util::fail(ErrorKind::invalid,
                      cat(origin, ": counters of ", subject.host, " were read at ", samples.size(),
                          " of ", instants.size(), " times, and two at least are needed", why));
  }
  return samples;
}

}  // namespace kubist::metrics
