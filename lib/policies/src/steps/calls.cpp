#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/policies/calls.hpp>
#include <kubist/util/text.hpp>

namespace kubist::policies {

using data::Json;

namespace {

// No expression of PromQL begins so.
constexpr std::string_view k_web_prefix = "@web ";

}  // namespace

std::string to_query(const WebMetric& metric) {
  return util::cat(k_web_prefix, data::to_json({{"url", metric.url},
                                                {"jsonPath", metric.path},
                                                {"timeoutSeconds", metric.timeout.count()}}));
}

std::optional<WebMetric> read_web(std::string_view query) {
  if (!query.starts_with(k_web_prefix)) {
    return std::nullopt;
  }
  const Json read = Json::parse(query.substr(k_web_prefix.size()), nullptr, false);
  return WebMetric{std::string(data::string_at(read, {"url"})),
                   std::string(data::string_at(read, {"jsonPath"})),
                   std::chrono::seconds(data::int_at(read, {"timeoutSeconds"}, 10))};
}

}  // namespace kubist::policies
