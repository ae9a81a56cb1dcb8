#include "wait_condition.hpp"

#include <kubist/util/text.hpp>

namespace kubist::cli {
namespace {

using apply::WaitCondition;
using util::ErrorKind;
using Kind = WaitCondition::Kind;

std::string_view unquoted(std::string_view text) {
  while (!text.empty() && (text.front() == '\'' || text.front() == '"')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == '\'' || text.back() == '"')) {
    text.remove_suffix(1);
  }
  return text;
}

/// Of "{.a[?(@.b=='c')]}=v" or ".a[?(@.b=='c')]=v" the '=' that parts template and value: the first
/// one outside of braces and brackets; npos: there is none.
std::size_t find_equals(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '{' || text[i] == '[' ? 1 : text[i] == '}' || text[i] == ']' ? -1 : 0;
    if (text[i] == '=' && depth <= 0) {
      return i;
    }
  }
  return std::string_view::npos;
}

util::Result<WaitCondition> parse_jsonpath(std::string_view text, std::string_view rest) {
  WaitCondition condition{.kind = Kind::jsonpath, .text = util::cat("--for=", text)};
  std::string_view path = rest;
  const std::size_t equals = find_equals(rest);
  condition.any_value = equals == std::string_view::npos;
  if (!condition.any_value) {
    condition.value = unquoted(rest.substr(equals + 1));
    path = rest.substr(0, equals);
    if (condition.value.empty()) {
      return util::fail(ErrorKind::usage, util::cat("--for=", text, ": the value is missing"));
    }
  }
  KUBIST_TRY(condition.path, data::JsonPath::compile_relaxed(unquoted(path)));
  return condition;
}

util::Result<WaitCondition> parse_condition(std::string_view text, std::string_view rest) {
  const std::size_t equals = rest.find('=');
  WaitCondition condition{.kind = Kind::condition, .text = util::cat("--for=", text)};
  condition.type = rest.substr(0, equals);
  condition.value = equals == std::string_view::npos ? "true" : rest.substr(equals + 1);
  if (condition.type.empty() || condition.value.empty()) {
    return util::fail(ErrorKind::usage,
                      util::cat("--for=", text, ": say condition=TYPE or condition=TYPE=VALUE"));
  }
  return condition;
}

}  // namespace

util::Result<WaitCondition> parse_wait_condition(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string word = util::lower(text.substr(0, equals));
  const std::string_view rest =
      equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
  const auto simple = [&](Kind kind) {
    return WaitCondition{.kind = kind, .text = util::cat("--for=", text)};
  };
  if (word == "condition") {
    return parse_condition(text, rest);
  }
  if (word == "jsonpath") {
    return parse_jsonpath(text, rest);
  }
  if (word == "job" && rest == "finished") {
    return simple(Kind::job_finished);
  }
  for (const auto& [name, kind] :
       {std::pair{"delete", Kind::deleted}, std::pair{"create", Kind::created},
        std::pair{"ready", Kind::ready}}) {
    if (util::iequals(text, name)) {
      return simple(kind);
    }
  }
  return util::fail(ErrorKind::usage, util::cat("--for=", text, " is no condition"),
                    "--for takes condition=TYPE[=VALUE], jsonpath='{PATH}'[=VALUE], delete, "
                    "create, ready or job=finished.");
}

}  // namespace kubist::cli
