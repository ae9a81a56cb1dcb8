#include <algorithm>

#include <re2/re2.h>

#include <kubist/traffic/condition.hpp>
#include <kubist/util/text.hpp>

#include "condition_words.hpp"
#include "value_regex.hpp"

namespace kubist::traffic {
namespace {

using util::cat;

std::string in_quotes(std::string_view text) {
  std::string escaped = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      escaped += '\\';
    }
    escaped += c;
  }
  return escaped + '"';
}

// Neither Envoy's path matchers nor HTTPRoute's see the query.
std::string_view path_of(std::string_view uri) { return uri.substr(0, uri.find('?')); }

const std::string* query_parameter(std::string_view uri, std::string_view name,
                                   std::string& storage) {
  const auto question = uri.find('?');
  if (question == std::string_view::npos) {
    return nullptr;
  }
  for (const std::string& pair : util::split(uri.substr(question + 1), '&')) {
    if (const auto equals = pair.find('='); pair.substr(0, equals) == name) {
      storage = equals == std::string::npos ? "" : pair.substr(equals + 1);
      return &storage;
    }
  }
  return nullptr;
}

const std::string* value_of(const Test& test, const Request& request, std::string& storage) {
  switch (test.part) {
    case Part::uri:
      storage = path_of(request.uri);
      return &storage;
    case Part::method:
      return &request.method;
    case Part::scheme:
      return &request.scheme;
    case Part::authority:
      return &request.authority;
    case Part::port:
      storage = cat(request.port);
      return &storage;
    case Part::query:
      return query_parameter(request.uri, test.name, storage);
    case Part::header:
    case Part::cookie: {
      const auto found = request.headers.find(test.part == Part::cookie ? "cookie" : test.name);
      return found == request.headers.end() ? nullptr : &found->second;
    }
  }
  return nullptr;
}

bool passes(const Test& test, const std::string& value) {
  if (test.part == Part::cookie) {
    return RE2::FullMatch(value, cookies_regex({&test}));
  }
  switch (test.op) {
    case Operator::exact:
      return value == test.value;
    case Operator::prefix:
      return value.starts_with(test.value);
    case Operator::regex:
      return RE2::FullMatch(value, test.value);
    case Operator::present:
      return true;
  }
  return false;
}

bool passes(const Test& test, const Request& request) {
  std::string storage;
  const std::string* value = value_of(test, request, storage);
  return (value != nullptr && passes(test, *value)) != test.negated;
}

}  // namespace

bool Test::operator==(const Test& other) const {
  return part == other.part && name == other.name && op == other.op && value == other.value &&
         negated == other.negated;
}

std::string to_string(const Test& test) {
  std::string text = cat(test.negated ? "not " : "", util::word_of(k_parts, test.part));
  if (test.part == Part::port) {
    return cat(text, ' ', test.value);
  }
  if (!test.name.empty()) {
    text += cat(' ', in_quotes(test.name));
  }
  text += cat(' ', util::word_of(k_operators, test.op));
  return test.op == Operator::present ? text : cat(text, ' ', in_quotes(test.value));
}

std::string to_string(const Condition& condition) {
  std::vector<std::string> alternatives;
  for (const Alternative& alternative : condition.alternatives) {
    std::vector<std::string> tests;
    for (const Test& test : alternative) {
      tests.push_back(to_string(test));
    }
    alternatives.push_back(util::join(tests, " and "));
  }
  return alternatives.empty() ? "always" : util::join(alternatives, " or ");
}

bool holds(const Condition& condition, const Request& request) {
  return condition.alternatives.empty() ||
         std::ranges::any_of(condition.alternatives, [&](const Alternative& alternative) {
           return std::ranges::all_of(alternative,
                                      [&](const Test& test) { return passes(test, request); });
         });
}

}  // namespace kubist::traffic
