#pragma once
#include <string>
#include <utility>

#include <kubist/data/json.hpp>

/// Rules of the fault proxy (tests/cluster/go/faultproxy/rules.go), in few words.
namespace faults {

using kubist::data::Json;

inline Json with(Json rule, const Json& more) {
  rule.update(more);
  return rule;
}
/// All that matches meets it.
inline Json rule(const std::string& fault, Json match = Json::object()) {
  return with(std::move(match), {{"fault", fault}});
}
/// The first matches meet it.
inline Json first(int count, const std::string& fault, Json match = Json::object()) {
  return with(rule(fault, std::move(match)), {{"first", count}});
}
/// The first matches get this answer (0: all).
inline Json status(int count, int code, Json match = Json::object()) {
  return with(first(count, "status", std::move(match)), {{"code", code}});
}
/// The API server has acted before.
inline Json after(Json rule) { return with(std::move(rule), {{"after", "response"}}); }

}  // namespace faults
