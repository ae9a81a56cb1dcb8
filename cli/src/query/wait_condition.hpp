#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <kubist/data/json.hpp>
#include <kubist/data/jsonpath.hpp>
#include <kubist/util/result.hpp>

namespace kubist::cli {

/// One --for of `wait`.
struct WaitCondition {
  enum class Kind { condition, jsonpath, deleted, created, ready, job_finished };
  Kind kind = Kind::condition;
  std::string text;   ///< as it was given, for messages
  std::string type;   ///< of condition
  std::string value;  ///< of condition ("true" by default), jsonpath
  bool any_value = false;  ///< jsonpath without a value: the field exists
  std::optional<data::JsonPath> path;
};

/// condition=TYPE[=VALUE], jsonpath=TEMPLATE[=VALUE], delete, create, ready (kstatus) or
/// job=finished. usage: anything else; invalid: a broken template.
util::Result<WaitCondition> parse_wait_condition(std::string_view text);

/// Does a live object meet it? not_ready: it never will (a Job that failed, ...), with the reason;
/// invalid: the template finds several values.
util::Result<bool> is_met(const WaitCondition& condition, const data::Json& object,
                          std::chrono::system_clock::time_point now);

}  // namespace kubist::cli
