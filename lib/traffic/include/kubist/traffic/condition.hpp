#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/util/result.hpp>

namespace kubist::traffic {

/// What of a request a test looks at.
enum class Part { uri, method, scheme, authority, port, header, cookie, query };
enum class Operator { exact, prefix, regex, present };

/// One test of a condition: `header "x-user" prefix "a"`.
struct Test {
  Part part = Part::uri;
  std::string name;  ///< of header (lower case), cookie or query parameter; else empty
  Operator op = Operator::exact;
  std::string value;                         ///< empty for present; a port in decimal
  bool negated = false;                      ///< headers and cookies only
  std::size_t column = 0;                    ///< where it stands in the text, from 1
  bool operator==(const Test& other) const;  ///< the same question, wherever it stands
};

/// Tests that must all hold.
using Alternative = std::vector<Test>;

/// When a route is taken: any of the alternatives, each with at least one test. None: always.
struct Condition {
  std::vector<Alternative> alternatives;
};

/// Reads the language of TrafficRoute's conditions, Vamp's with a few words more:
///
///   condition = term {"or" term}     term = factor {"and" factor}
///   factor    = "not" factor | "(" condition ")" | test
///   test      = ("uri" | "method" | "scheme" | "authority") operator TEXT
///             | "port" NUMBER
///             | ("header" | "cookie" | "query") TEXT (operator TEXT | "present")
///   operator  = "exact" | "prefix" | "regex"
///   TEXT      = "..." or '...'; a backslash escapes the quote and itself, and stands for itself
///               before all else, so that regular expressions read as they are
///
/// Words in any case. A regex (RE2) must match the whole value. `not` is for headers and cookies:
/// the mesh cannot ask the opposite of anything else. Empty text means always.
///
/// Invalid: with the text and a caret under the column, also for a regex that does not compile,
/// more than 4,096 characters, 32 parentheses deep, 64 alternatives once written out, or regular
/// expressions that proxies would refuse for their size.
util::Result<Condition> parse_condition(std::string_view text);

/// The test in the language that parse_condition reads.
std::string to_string(const Test& test);
/// "A and B, or C"; "always" where there is no alternative.
std::string to_string(const Condition& condition);

/// A request as a condition sees it.
struct Request {
  std::string uri = "/";  ///< with or without a query
  std::string method = "GET";
  std::string scheme = "http";
  std::string authority;
  std::uint16_t port = 0;                                   ///< 0: unknown, no port matches
  std::map<std::string, std::string, std::less<>> headers;  ///< names in lower case
};

/// Would the mesh take this request for one that the condition describes?
bool holds(const Condition& condition, const Request& request);

}  // namespace kubist::traffic
