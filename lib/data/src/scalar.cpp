#include "scalar.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include <kubist/util/text.hpp>

#include "go_number.hpp"

namespace kubist::data {

using util::is_digit;

namespace {

enum class Hint { none, sign, digit, word, dot };

Hint hint_of(char c) {
  if (is_digit(c)) {
    return Hint::digit;
  }
  if (c == '+' || c == '-') {
    return Hint::sign;
  }
  if (c == '.') {
    return Hint::dot;
  }
  return std::string_view("yYnNtTfFoO~").find(c) != std::string_view::npos ? Hint::word
                                                                           : Hint::none;
}

/// lower, Capital or UPPER, as YAML 1.1 lists its words; other mixtures are text.
bool is_word(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) {
    return false;
  }
  auto upper = [](char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c); };
  bool all_lower = true;
  bool all_upper = true;
  bool capital = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    all_lower = all_lower && text[i] == lower[i];
    all_upper = all_upper && text[i] == upper(lower[i]);
    capital = capital && text[i] == (i == 0 ? upper(lower[i]) : lower[i]);
  }
  return all_lower || all_upper || capital;
}

Scalar make_bool(bool value) {
  Scalar scalar{.kind = ScalarKind::boolean};
  scalar.boolean = value;
  return scalar;
}

Scalar make_real(double value) {
  Scalar scalar{.kind = ScalarKind::real};
  scalar.real = value;
  return scalar;
}

std::optional<Scalar> resolve_word(std::string_view text) {
  for (std::string_view word : {"y", "yes", "true", "on"}) {
    if (is_word(text, word)) {
      return make_bool(true);
    }
  }
  for (std::string_view word : {"n", "no", "false", "off"}) {
    if (is_word(text, word)) {
      return make_bool(false);
    }
  }
  if (text == "~" || is_word(text, "null")) {
    return Scalar{.kind = ScalarKind::null};
  }
  return std::nullopt;
}

std::optional<Scalar> resolve_special_real(std::string_view text) {
  constexpr double k_infinity = std::numeric_limits<double>::infinity();
  if (text == ".nan" || text == ".NaN" || text == ".NAN") {
    return make_real(std::numeric_limits<double>::quiet_NaN());
  }
  const bool negative = text.starts_with('-');
  const std::string_view rest = text.substr(negative || text.starts_with('+') ? 1 : 0);
  if (rest == ".inf" || rest == ".Inf" || rest == ".INF") {
    return make_real(negative ? -k_infinity : k_infinity);
  }
  return std::nullopt;
}

/// Go's strconv.ParseInt with base 0: 0x, 0o, 0b and a leading 0 choose the base.
std::optional<Scalar> parse_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char mark = static_cast<char>(text[1] | 0x20);
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
    text.remove_prefix(base != 8 || mark == 'o' ? 2 : 1);
  }
  std::uint64_t magnitude = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, magnitude, base);
  if (text.empty() || stop != end || error != std::errc{}) {
    return std::nullopt;
  }
  constexpr std::uint64_t k_max = std::numeric_limits<std::int64_t>::max();
  Scalar scalar{.kind = ScalarKind::integer};
  if (negative ? magnitude <= k_max + 1 : magnitude <= k_max) {
    scalar.integer = static_cast<std::int64_t>(negative ? ~magnitude + 1 : magnitude);
  } else if (!negative) {
    scalar.kind = ScalarKind::unsigned_integer;
    scalar.unsigned_integer = magnitude;
  } else {
    return std::nullopt;
  }
  return scalar;
}

/// ^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$; `whole` says: digits only.
bool is_real(std::string_view text, bool& whole) {
  std::size_t at = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  auto digits = [&] {
    const std::size_t start = at;
    while (at < text.size() && is_digit(text[at])) {
      ++at;
    }
    return at - start;
  };
  const std::size_t before = digits();
  whole = at == text.size();
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (digits() == 0 && before == 0) {
      return false;
    }
  } else if (before == 0) {
    return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) {
      ++at;
    }
    if (digits() == 0) {
      return false;
    }
  }
  return at == text.size();
}

std::optional<Scalar> parse_real(std::string_view text) {
  bool whole = false;
  if (!is_real(text, whole)) {
    return std::nullopt;
  }
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  const auto value = parse_double(text);
  if (!value) {
    return std::nullopt;
  }
  Scalar scalar = make_real(*value);
  scalar.lossy = whole && std::abs(*value) >= 9.2e18;
  return scalar;
}

/// Reads one or two digits in [low, high].
bool two_digits(std::string_view& text, int low, int high, int* out = nullptr) {
  std::size_t length = 0;
  int value = 0;
  while (length < 2 && length < text.size() && is_digit(text[length])) {
    value = value * 10 + (text[length++] - '0');
  }
  text.remove_prefix(length);
  if (out != nullptr) {
    *out = value;
  }
  return length > 0 && value >= low && value <= high;
}

bool skip(std::string_view& text, char c) {
  if (!text.starts_with(c)) {
    return false;
  }
  text.remove_prefix(1);
  return true;
}

bool is_time_of_day(std::string_view& text) {
  if (!two_digits(text, 0, 23) || !skip(text, ':') || !two_digits(text, 0, 59) ||
      !skip(text, ':') || !two_digits(text, 0, 59)) {
    return false;
  }
  if (text.size() > 1 && (text[0] == '.' || text[0] == ',') && is_digit(text[1])) {
    text.remove_prefix(1);
    while (!text.empty() && is_digit(text[0])) {
      text.remove_prefix(1);
    }
  }
  return true;
}

bool is_zone(std::string_view text) {
  if (text == "Z") {
    return true;
  }
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') {
    return false;
  }
  std::string_view hours = text.substr(1, 2);
  std::string_view minutes = text.substr(4, 2);
  return two_digits(hours, 0, 24) && two_digits(minutes, 0, 60) && hours.empty() && minutes.empty();
}

int days_in(int year, int month) {
  if (month == 2) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
  }
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/// The four forms that go-yaml v2 takes for a timestamp.
bool is_timestamp(std::string_view text) {
  if (text.size() < 8 || text[4] != '-') {
    return false;
  }
  int year = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + 4, year);
  if (error != std::errc{} || stop != text.data() + 4 || !is_digit(text[0])) {
    return false;
  }
  text.remove_prefix(5);
  int month = 0;
  if (!two_digits(text, 1, 12, &month) || !skip(text, '-') ||
      !two_digits(text, 1, days_in(year, month))) {
    return false;
  }
  if (text.empty()) {
    return true;
  }
  if (skip(text, ' ')) {
    return is_time_of_day(text) && text.empty();
  }
  return (skip(text, 'T') || skip(text, 't')) && is_time_of_day(text) && is_zone(text);
}

Scalar resolve_number(std::string_view text) {
  if (is_timestamp(text)) {
    return Scalar{.kind = ScalarKind::timestamp};
  }
  std::string stripped;
  if (text.find('_') != text.npos) {
    for (char c : text) {
      if (c != '_') {
        stripped += c;
      }
    }
    text = stripped;
  }
  if (const auto integer = parse_integer(text)) {
    return *integer;
  }
  return parse_real(text).value_or(Scalar{});
}

/// Go's ParseFloat takes '_' between digits.
Scalar resolve_dot(std::string_view text) {
  std::string stripped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      stripped += text[i];
    } else if (i == 0 || i + 1 == text.size() || !is_digit(text[i - 1]) || !is_digit(text[i + 1])) {
      return {};
    }
  }
  return parse_real(stripped).value_or(Scalar{});
}

}  // namespace

Scalar resolve_plain(std::string_view text) {
  if (text.empty()) {
    return Scalar{.kind = ScalarKind::null};
  }
  const Hint hint = hint_of(text[0]);
  if (hint == Hint::none) {
    return {};
  }
  if (hint == Hint::word) {
    return text.size() > 5 ? Scalar{} : resolve_word(text).value_or(Scalar{});
  }
  if (const auto special = resolve_special_real(text)) {
    return *special;
  }
  return hint == Hint::dot ? resolve_dot(text) : resolve_number(text);
}

bool is_base60(std::string_view text) {
  std::size_t at = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  if (at >= text.size() || !is_digit(text[at]) || text.find(':') == text.npos) {
    return false;
  }
  while (at < text.size() && (is_digit(text[at]) || text[at] == '_')) {
    ++at;
  }
  std::size_t groups = 0;
  for (; at < text.size() && text[at] == ':'; ++groups) {
    ++at;
    if (at + 1 < text.size() && text[at] <= '5' && is_digit(text[at]) && is_digit(text[at + 1])) {
      ++at;
    }
    if (at >= text.size() || !is_digit(text[at])) {
      return false;
    }
    ++at;
  }
  if (groups > 0 && at < text.size() && text[at] == '.') {
    ++at;
    while (at < text.size() && (is_digit(text[at]) || text[at] == '_')) {
      ++at;
    }
  }
  return groups > 0 && at == text.size();
}

}  // namespace kubist::data
