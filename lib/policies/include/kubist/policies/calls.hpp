#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace kubist::policies {

/// A number in a JSON document behind a URL, which a metric asks for as Argo's provider.web; among
/// the queries, answered as those: {value} or {reason, message}.
struct WebMetric {
  std::string url;
  std::string path;  ///< JSONPath
  std::chrono::seconds timeout{10};
};
std::string to_query(const WebMetric& metric);
/// Nothing: it is another query.
std::optional<WebMetric> read_web(std::string_view query);

}  // namespace kubist::policies
