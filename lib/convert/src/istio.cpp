#include "istio.hpp"

#include <algorithm>
#include <array>

#include <kubist/util/text.hpp>

namespace kubist::convert {

using util::cat;

namespace {

constexpr std::array<std::string_view, 4> k_parts{"uri", "method", "scheme", "authority"};
/// Maps of tests by name, and the word of a condition.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> k_named{
    {{"headers", "header"}, {"queryParams", "query"}, {"withoutHeaders", "not header"}}};

std::string in_quotes(std::string_view text) {
  return cat('"', util::replace_all(util::replace_all(text, "\\", "\\\\"), "\"", "\\\""), '"');
}

/// {exact, prefix or regex: VALUE} of `what`, or of what has a name {} for any value; else "".
std::string test_of(const Fields& test, const std::string& what, bool named) {
  for (const char* word : {"exact", "prefix", "regex"}) {
    if (test.has(word)) {
      return cat(what, ' ', word, ' ', in_quotes(test.text(word)));
    }
  }
  return named && test && test.names().empty() ? cat(what, " present") : "";
}

bool is_known(const std::string& field) {
  return field == "port" || field == "name" ||
         std::find(k_parts.begin(), k_parts.end(), field) != k_parts.end() ||
         std::any_of(k_named.begin(), k_named.end(),
                     [&](const auto& named) { return named.first == field; });
}

/// All tests of one match, joined; "" where there is none.
std::string alternative_of(const Fields& match) {
  std::vector<std::string> tests;
  for (const std::string_view part : k_parts) {
    if (match.has(part)) {
      tests.push_back(test_of(match.at(part), std::string(part), false));
    }
  }
  for (const auto& [field, word] : k_named) {
    const Fields named = match.at(field);
    for (const std::string& name : named.names()) {
      tests.push_back(test_of(named.at(name), cat(word, ' ', in_quotes(name)), true));
    }
  }
  if (const auto port = match.number("port")) {
    tests.push_back(cat("port ", *port));
  }
  match.text("name");  // Istio's own, for its logs
  return std::any_of(tests.begin(), tests.end(), [](const auto& test) { return test.empty(); })
             ? ""
             : util::join(tests, " and ");
}

void add_duration(const Fields& from, std::string_view field, Json& to) {
  if (const std::string time = from.duration(field); !time.empty()) {
    to[field] = time;
  }
}

Json retries_of(const Fields& given) {
  Json retries = Json::object();
  if (const auto attempts = given.number("attempts")) {
    retries["attempts"] = *attempts;
    add_duration(given, "perTryTimeout", retries);
    if (const std::string on = given.text("retryOn"); !on.empty()) {
      retries["retryOn"] = on;
    }
  }
  return retries;
}

Json headers_of(const Fields& given) {
  Json headers = Json::object();
  for (const char* side : {"request", "response"}) {
    const Fields changes = given.at(side);
    for (const char* change : {"set", "add", "remove"}) {
      if (changes.has(change)) {
        headers[side][change] = changes.any(change);
      }
    }
  }
  return headers;
}

}  // namespace

std::string condition_of(const std::vector<Fields>& matches) {
  std::vector<std::string> any;
  for (const Fields& match : matches) {
    const std::vector<std::string> names = match.names();
    const std::string tests =
        std::all_of(names.begin(), names.end(), is_known) ? alternative_of(match) : "";
    if (tests.empty()) {
      match.lost("a condition cannot ask for all of this, so the match is left out");
    } else {
      any.push_back(tests);
    }
  }
  return util::join(any, " or ");
}

std::optional<Json> rule_of(const Fields& route) {
  Json rule = Json::object();
  const std::vector<Fields> matches = route.list("match");
  if (const std::string condition = condition_of(matches); !condition.empty()) {
    rule["condition"] = condition;
  } else if (!matches.empty()) {
    return std::nullopt;
  }
  if (const Fields rewrite = route.at("rewrite"); rewrite.has("uri")) {
    rule["rewrite"] = rewrite.text("uri");
  }
  add_duration(route, "timeout", rule);
  if (Json retries = retries_of(route.at("retries")); !retries.empty()) {
    rule["retries"] = std::move(retries);
  }
  if (Json headers = headers_of(route.at("headers")); !headers.empty()) {
    rule["headers"] = std::move(headers);
  }
  return rule;
}

std::string gateway_of(const std::string& gateway, std::string_view ns) {
  if (gateway == "mesh" || gateway.find('/') != std::string::npos) {
    return gateway;
  }
  const std::vector<std::string> labels =
      util::split(gateway, '.');  // Istio's older NAME.NS.svc...
  return labels.size() > 2 && labels[2] == "svc" ? cat(labels[1], '/', labels[0])
                                                 : cat(ns, '/', gateway);
}

}  // namespace kubist::convert
