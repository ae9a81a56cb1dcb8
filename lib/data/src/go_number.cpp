#include "go_number.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include <kubist/data/json_text.hpp>

namespace kubist::data {
namespace {

struct Decimal {
  bool negative = false;
  std::string digits;  ///< shortest that reads back, no point
  int exponent = 0;    ///< of the first digit: 1.5e3 is {15, 3}
};

template <class Float>
Decimal to_decimal(Float number) {
  char buffer[64];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::scientific).ptr;
  std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  Decimal decimal;
  if (text.starts_with('-')) {
    decimal.negative = true;
    text.remove_prefix(1);
  }
  const auto e = text.find('e');
  for (char c : text.substr(0, e)) {
    if (c != '.') {
      decimal.digits += c;
    }
  }
  std::string_view exponent = text.substr(e + 1);
  exponent.remove_prefix(exponent.starts_with('+') ? 1 : 0);
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), decimal.exponent);
  return decimal;
}

/// 'e' form; Go writes at least `min_exponent_digits` digits of the exponent.
std::string scientific(const Decimal& decimal, std::size_t min_exponent_digits) {
  std::string text = decimal.negative ? "-" : "";
  text += decimal.digits[0];
  if (decimal.digits.size() > 1) {
    text += '.';
    text.append(decimal.digits, 1);
  }
  text += decimal.exponent < 0 ? "e-" : "e+";
  const std::string exponent = std::to_string(std::abs(decimal.exponent));
  if (exponent.size() < min_exponent_digits) {
    text += '0';
  }
  return text + exponent;
}

std::string fixed(const Decimal& decimal) {
  std::string text = decimal.negative ? "-" : "";
  if (decimal.exponent < 0) {
    text += "0.";
    text.append(static_cast<std::size_t>(-decimal.exponent - 1), '0');
    return text + decimal.digits;
  }
  const auto whole = static_cast<std::size_t>(decimal.exponent) + 1;
  if (decimal.digits.size() <= whole) {
    return text + decimal.digits + std::string(whole - decimal.digits.size(), '0');
  }
  return text + decimal.digits.substr(0, whole) + '.' + decimal.digits.substr(whole);
}

template <class Float>
std::string general(Float number) {
  if (!std::isfinite(number)) {
    return std::isnan(number) ? ".nan" : number > 0 ? ".inf" : "-.inf";
  }
  const Decimal decimal = to_decimal(number);
  constexpr int k_shortest_precision = 6;  // strconv's choice where the shortest form is wanted
  return decimal.exponent < -4 || decimal.exponent >= k_shortest_precision ? scientific(decimal, 2)
                                                                           : fixed(decimal);
}

}  // namespace

std::string go_general(double number) { return general(number); }
std::string go_general(float number) { return general(number); }

std::optional<double> parse_double(std::string_view text) {
  double value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{}) {
    value = std::strtod(std::string(text).c_str(), nullptr);  // tells too large from too small
  }
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string go_json_number(double number) {
  if (!std::isfinite(number)) {
    return "null";
  }
  const double size = std::abs(number);
  const Decimal decimal = to_decimal(number);
  return size != 0 && (size < 1e-6 || size >= 1e21) ? scientific(decimal, 1) : fixed(decimal);
}

}  // namespace kubist::data
