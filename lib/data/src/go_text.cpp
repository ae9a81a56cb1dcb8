#include <cmath>
#include <cstdio>

#include <kubist/data/go_text.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/util/text.hpp>

namespace kubist::data {

using util::cat;

namespace {

std::string go_float(double number) {
  // fmt's %v writes exponents from 1e21 on, as encoding/json does, and below 1e-4.
  if (number != 0 && std::abs(number) < 1e-4) {
    char text[40];
    for (int digits = 0; digits < 17; ++digits) {
      std::snprintf(text, sizeof text, "%.*e", digits, number);
      if (std::stod(text) == number) {
        break;
      }
    }
    return text;
  }
  return go_json_number(number);
}

}  // namespace

std::string go_text(const Json& value) {
  std::string text;
  switch (value.type()) {
    case Json::value_t::null:
      return "<nil>";
    case Json::value_t::string:
      return value.get<std::string>();
    case Json::value_t::number_float:
      return go_float(value.get<double>());
    case Json::value_t::object:
      for (const auto& [key, element] : value.items()) {
        text += cat(text.empty() ? "" : " ", key, ':', go_text(element));
      }
      return cat("map[", text, ']');
    case Json::value_t::array:
      for (std::size_t i = 0; i < value.size(); ++i) {
        text += cat(i == 0 ? "" : " ", go_text(value[i]));
      }
      return cat('[', text, ']');
    default:
      return to_json(value);
  }
}

}  // namespace kubist::data
