#include <kubist/policies/expression.hpp>
#include <kubist/util/text.hpp>

#include "argo.hpp"

namespace kubist::convert {

using util::cat;

namespace {

constexpr std::string_view k_result = "result";

/// The result by its only name.
std::string plain(const std::string& condition) {
  std::string text(util::trim(condition));
  for (const char* call : {"asFloat", "asInt"}) {
    for (const char* value : {"result[0]", "result"}) {
      text = util::replace_all(text, cat(call, '(', value, ')'), value);
    }
  }
  return text;
}

/// Narrows `range` by a comparison "result >= 0.9"; false where it is none, or where the bound does
/// not pass, as those of a thresholdRange do.
bool add_bound(std::string_view comparison, bool opposite, Json& range) {
  const std::string text = util::replace_all(util::trim(comparison), "result[0]", k_result);
  if (!text.starts_with(k_result)) {
    return false;
  }
  std::string_view rest = util::trim(std::string_view(text).substr(k_result.size()));
  if (rest.empty() || (rest[0] != '<' && rest[0] != '>')) {
    return false;
  }
  const bool least = (rest[0] == '>') != opposite;
  const bool with_bound = rest.starts_with("<=") || rest.starts_with(">=");
  rest.remove_prefix(with_bound ? 2 : 1);
  const std::string number(util::trim(rest));
  const Json value = Json::parse(number, nullptr, false);
  const char* bound = least ? "min" : "max";
  if (with_bound == opposite || !value.is_number() || range.contains(bound)) {
    return false;
  }
  range[bound] = value;
  return true;
}

}  // namespace

std::string condition_text(const std::string& condition, std::string& why) {
  const std::string text = plain(condition);
  const auto read = policies::Expression::parse(util::replace_all(text, "result[0]", k_result),
                                                {std::string(k_result)});
  if (!read || !read->is_condition()) {
    why = read ? cat('"', text, "\" is a number, not a condition")
               : read.error().message.substr(0, read.error().message.find('\n'));
    return "";
  }
  return text;
}

Json range_of(const std::string& success, const std::string& failure) {
  Json range = Json::object();
  if (success.empty() == failure.empty()) {
    return {};
  }
  if (!failure.empty()) {
    return add_bound(failure, true, range) ? range : Json();
  }
  for (const std::string& part : util::split(util::replace_all(success, "&&", "\n"), '\n')) {
    if (!add_bound(part, false, range)) {
      return {};
    }
  }
  return range;
}

}  // namespace kubist::convert
