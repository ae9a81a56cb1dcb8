#include "prometheus_reply.hpp"

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/metrics/prometheus_text.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/words.hpp>

#include "failures.hpp"

namespace kubist::metrics {

using data::Json;
using util::cat;

namespace {

constexpr std::size_t k_shown = 300;
constexpr std::size_t k_max_values = 500'000;  // of JSON: each takes some hundred bytes

std::string shown(std::string_view text) {
  return util::printable(text.substr(0, k_shown)) + (text.size() > k_shown ? "..." : "");
}

std::string_view reason_of_status(int status) {
  switch (status) {
    case 401:
    case 403:
      return k_reason_forbidden;
    case 404:
      return k_reason_not_found;
    case 408:
    case 504:
      return k_reason_timeout;
    case 502:
    case 503:
      return k_reason_unreachable;
    default:
      return k_reason_not_metrics;
  }
}

/// Neither an envelope nor a Status.
tl::unexpected<Answer> foreign(const http::Response& response) {
  const std::string what = cat("status ", response.status,
                               ", which is not of Prometheus: ", shown(util::trim(response.body)));
  if (looks_like_html(response.body)) {
    return inconclusive(k_reason_html, cat("the answer is a page for people (", what,
                                           "); is the address right, and need one log in there?"));
  }
  return inconclusive(reason_of_status(response.status), cat("the answer has ", what));
}

/// Prometheus's errorType, web/api/v1/api.go.
std::string_view reason_of_type(std::string_view type) {
  static constexpr util::Word<std::string_view> k_types[] = {
      {k_reason_timeout, "timeout"},          {k_reason_canceled, "canceled"},
      {k_reason_cannot_execute, "execution"}, {k_reason_bad_query, "bad_data"},
      {k_reason_unreachable, "unavailable"},  {k_reason_not_found, "not_found"}};
  return util::value_of(k_types, type).value_or(k_reason_error);
}

tl::unexpected<Answer> misshapen() {
  return inconclusive(k_reason_not_metrics, "the result is not shaped as Prometheus's are");
}

Expected<std::vector<Point>> read_vector(const Json& result) {
  std::vector<Point> points;
  for (const Json& element : result) {
    if (element.is_object() && element.contains("histogram")) {
      return inconclusive(k_reason_native_histogram,
                          "the result is a native histogram: ask for histogram_count() or a "
                          "quantile of it");
    }
    Point point;
    if (!read_labels(element, point) || !element.contains("value") ||
        !read_value(element["value"], point)) {
      return misshapen();
    }
    points.push_back(std::move(point));
  }
  return points;
}

Expected<std::vector<Point>> read_data(const Json& envelope) {
  const std::string_view type = data::string_at(envelope, {"data", "resultType"});
  const Json* result = data::find_path(envelope, {"data", "result"});
  if (result == nullptr || !result->is_array()) {
    return misshapen();
  }
  if (type == "vector") {
    return read_vector(*result);
  }
  if (type == "scalar") {
    Point point;
    if (!read_value(*result, point)) {
      return misshapen();
    }
    return std::vector<Point>{std::move(point)};
  }
  return inconclusive(k_reason_wrong_type,
                      cat("the result is a ", shown(type), "; a vector or a scalar is wanted"));
}

}  // namespace

bool read_value(const Json& pair, Point& point) {
  if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number() || !pair[1].is_string()) {
    return false;
  }
  point.at = pair[0].get<double>();
  return parse_metric_value(pair[1].get_ref<const std::string&>(), point.value);
}

bool read_labels(const Json& element, Point& point) {
  const Json* labels = element.is_object() ? data::find_path(element, {"metric"}) : nullptr;
  if (labels == nullptr || !labels->is_object()) {
    return false;
  }
  for (const auto& [name, value] : labels->items()) {
    if (value.is_string()) {
      point.labels.emplace(name, value.get<std::string>());
    }
  }
  return true;
}

Expected<std::vector<Point>> read_reply(const http::Response& response, bool allow_warnings) {
  data::ReadOptions options;
  options.keep_source = false;
  options.max_nodes = k_max_values;
  options.big_integers = data::BigIntegers::as_float;
  const auto envelope = data::parse_json(response.body, "answer", options);
  if (!envelope || !envelope->is_object()) {
    return foreign(response);
  }
  if (data::string_at(*envelope, {"kind"}) == "Status") {
    return tl::unexpected<Answer>(answer_of(kube::status_error("the API server says", *envelope)));
  }
  const std::string_view status = data::string_at(*envelope, {"status"});
  if (status == "error") {
    const std::string_view type = data::string_at(*envelope, {"errorType"});
    return inconclusive(reason_of_type(type),
                        cat("Prometheus answers ", response.status, ", ", shown(type), ": ",
                            shown(data::string_at(*envelope, {"error"}))));
  }
  if (status != "success" || response.status / 100 != 2) {
    return foreign(response);
  }
  const Json* warnings = data::find_path(*envelope, {"warnings"});
  if (!allow_warnings && warnings != nullptr && warnings->is_array() && !warnings->empty()) {
    const Json& first = warnings->front();
    return inconclusive(k_reason_warnings,
                        cat("the answer may be partial: ",
                            shown(first.is_string() ? first.get<std::string>() : first.dump())));
  }
  return read_data(*envelope);
}

}  // namespace kubist::metrics
