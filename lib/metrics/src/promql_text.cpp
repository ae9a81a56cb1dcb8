#include <cctype>

#include <kubist/metrics/prometheus_text.hpp>
#include <kubist/metrics/promql.hpp>
#include <kubist/util/text.hpp>

// How values enter PromQL: as literals that cannot be left.
namespace kubist::metrics {

using util::cat;

namespace {

constexpr std::string_view k_open = "{{";
constexpr std::string_view k_close = "}}";

/// Escaped for a string in those quotes; false: it cannot stand there.
bool escape(std::string_view value, char quotes, std::string& out) {
  if (quotes == '`') {
    out += value;
    return value.find('`') == std::string_view::npos;
  }
  for (const char c : value) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || c == quotes) {
      out += '\\';
    }
    out += c;
  }
  return true;
}

/// A number or a duration such as 5m or 1h30m: all that may stand outside quotes.
bool is_plain(std::string_view value) {
  double number = 0;
  if (parse_metric_value(value, number)) {
    return true;
  }
  bool digits = false;
  bool unit = false;
  for (const char c : value) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!is_digit && (std::string_view("smhdwy").find(c) == std::string_view::npos || !digits)) {
      return false;
    }
    digits = digits || is_digit;
    unit = !is_digit;
  }
  return digits && unit;
}

util::Result<> put(const std::string& name, const std::map<std::string, std::string>& values,
                   char quotes, std::string& out) {
  const auto value = values.find(name);
  if (value == values.end()) {
    std::vector<std::string> known;
    for (const auto& each : values) {
      known.push_back(each.first);
    }
    return util::fail(
        util::ErrorKind::invalid,
        cat("the query's {{", name, "}} has no value", util::did_you_mean(name, known)),
        known.empty() ? "" : cat("There are: ", util::join(known, ", "), "."));
  }
  if (quotes == '\0') {
    if (!is_plain(value->second)) {
      return util::fail(util::ErrorKind::invalid,
                        cat("the value of the query's {{", name, "}} stands outside quotes and is ",
                            "neither a number nor a duration"),
                        "Put the place into quotes, as a label's value.");
    }
    out += value->second;
  } else if (!escape(value->second, quotes, out)) {
    return util::fail(util::ErrorKind::invalid, cat("the value of the query's {{", name,
                                                    "}} has a backtick and stands in backticks"));
  }
  return {};
}

}  // namespace

std::string promql_quote(std::string_view text) {
  std::string quoted = "\"";
  escape(text, '"', quoted);
  return quoted += '"';
}

std::string regex_literal(std::string_view text) {
  std::string literal;
  for (const char c : text) {
    if (std::string_view(R"(\.+*?()|[]{}^$)").find(c) != std::string_view::npos) {
      literal += '\\';
    }
    literal += c;
  }
  return literal;
}

util::Result<std::string> fill_template(std::string_view text,
                                        const std::map<std::string, std::string>& values) {
  std::string filled;
  char quotes = '\0';
  while (!text.empty()) {
    if (text.starts_with(k_open)) {
      const auto end = text.find(k_close);
      if (end == std::string_view::npos) {
        return util::fail(util::ErrorKind::invalid, "a '{{' of the query has no '}}'");
      }
      const std::string name(util::trim(text.substr(k_open.size(), end - k_open.size())));
      KUBIST_CHECK(put(name, values, quotes, filled));
      text.remove_prefix(end + k_close.size());
      continue;
    }
    const char c = text.front();
    if (quotes == '\0' && (c == '"' || c == '\'' || c == '`')) {
      quotes = c;
    } else if (c == quotes) {
      quotes = '\0';
    } else if (c == '\\' && quotes != '\0' && quotes != '`' && text.size() > 1) {
      filled += c;
      text.remove_prefix(1);
    }
    filled += text.front();
    text.remove_prefix(1);
  }
  return filled;
}

}  // namespace kubist::metrics
