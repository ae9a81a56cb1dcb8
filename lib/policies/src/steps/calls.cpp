#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/policies/calls.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "policy/release_policy.hpp"

namespace kubist::policies {

using data::Json;

namespace {

// No expression of PromQL begins so.
constexpr std::string_view k_prefix = "@call ";
constexpr std::string_view k_web_prefix = "@web ";

std::string_view field_of(Call::Kind kind) {
  return kind == Call::Kind::webhook ? "webhook" : "job";
}

}  // namespace

std::string to_query(const Call& call) {
  return util::cat(k_prefix, data::to_json({{field_of(call.kind), call.what},
                                            {"weight", call.weight},
                                            {"step", call.step}}));
}

std::optional<Call> read_call(std::string_view query) {
  if (!query.starts_with(k_prefix)) {
    return std::nullopt;
  }
  const Json read = Json::parse(query.substr(k_prefix.size()), nullptr, false);
  for (const auto kind : {Call::Kind::webhook, Call::Kind::job}) {
    const Json* what = data::find_path(read, {field_of(kind)});
    if (what != nullptr && what->is_object()) {
      return Call{kind, *what, static_cast<int>(data::int_at(read, {"weight"})),
                  data::int_at(read, {"step"})};
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> due_try(const Call& call, const Json& status,
                                    std::chrono::system_clock::time_point now) {
  const auto state = data::string_at(status, {"state"});
  const Json* policies = data::find_path(status, {"policies"});
  if ((state != "Progressing" && state != "Waiting") || policies == nullptr ||
      !policies->is_array()) {
    return std::nullopt;
  }
  const auto wave = data::int_at(status, {"wave", "number"}, 1) - 1;
  const int key = step_key(call.weight, static_cast<int>(wave));
  for (const Json& policy : *policies) {
    const Json* kept = data::find_path(policy, {"state"});
    if (kept == nullptr || data::int_at(*kept, {"weight"}, -1) != key ||
        data::int_at(*kept, {"step"}, -1) != call.step ||
        data::int_at(*kept, {"attempt"}) != data::int_at(status, {"attempt"}, 1)) {
      continue;
    }
    if (const auto again = util::parse_time(data::string_at(*kept, {"again"}));
        !again || now >= *again) {
      return data::int_at(*kept, {"failed"});
    }
  }
  return std::nullopt;
}

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
