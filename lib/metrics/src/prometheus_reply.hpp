#pragma once
#include <map>
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/http/response.hpp>
#include <kubist/metrics/answer.hpp>

namespace kubist::metrics {

/// One element of an instant vector, or a scalar (no labels).
struct Point {
  std::map<std::string, std::string, std::less<>> labels;
  double at = 0;     ///< seconds since 1970
  double value = 0;  ///< may be NaN or infinite
};

/// Reads [unix time, "number"] into `at` and `value`; false where it is none.
bool read_value(const data::Json& pair, Point& point);
/// The labels of an element of a vector or a matrix; false where it has none.
bool read_labels(const data::Json& element, Point& point);

/// What an answer to /api/v1/query says. Tells Prometheus's envelope from a Status of the API
/// server in front of it, from pages for people, and from all else: each has its own reason. Pure.
Expected<std::vector<Point>> read_reply(const http::Response& response, bool allow_warnings);

}  // namespace kubist::metrics
