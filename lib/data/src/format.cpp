#include <array>
#include <charconv>
#include <chrono>

#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "schema_impl.hpp"

namespace kubist::data {
namespace {

bool matches(std::string_view text, const char* pattern) {
  const Pattern compiled(pattern);
  return re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), compiled.regex);
}

int number_at(std::string_view text, std::size_t at, std::size_t length) {
  int value = 0;
  std::from_chars(text.data() + at, text.data() + at + length, value);
  return value;
}

bool is_date(std::string_view text) {
  static const Pattern k_shape(R"(\d{4}-\d{2}-\d{2})");
  if (!re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), k_shape.regex)) {
    return false;
  }
  const std::chrono::year_month_day date(
      std::chrono::year(number_at(text, 0, 4)),
      std::chrono::month(static_cast<unsigned>(number_at(text, 5, 2))),
      std::chrono::day(static_cast<unsigned>(number_at(text, 8, 2))));
  return date.ok();
}

/// RFC 3339, as Go's strfmt reads it.
bool is_date_time(std::string_view text) {
  static const Pattern k_shape(
      R"([Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d))");
  if (text.size() < 11 || !is_date(text.substr(0, 10))) {
    return false;
  }
  const std::string_view time = text.substr(10);
  return re2::RE2::FullMatch(re2::StringPiece(time.data(), time.size()), k_shape.regex);
}

bool is_ipv4(std::string_view text) {
  const std::vector<std::string> parts = util::split(text, '.');
  return parts.size() == 4 && std::all_of(parts.begin(), parts.end(), [](const std::string& part) {
           const auto number = util::parse_int(part);
           return number && *number >= 0 && *number <= 255 && part.size() <= 3 &&
                  (part.size() == 1 || part[0] != '0');
         });
}

bool is_duration(std::string_view text) {
  return matches(text, R"([+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))"
                       R"((\d+(\.\d*)?(ns|us|µs|ms|s|m|h))*|[+-]?0)");
}

bool is_uuid(std::string_view text) {
  return matches(text, "(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}");
}

bool is_host_name(std::string_view text) {
  return text.size() <= 253 &&
         matches(text, R"([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)"
                       R"((\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*\.?)");
}

struct Format {
  std::string_view name;
  bool (*test)(std::string_view text);
};

constexpr std::array<Format, 10> k_formats = {{
    {"date", is_date},
    {"date-time", is_date_time},
    {"datetime", is_date_time},
    {"byte", [](std::string_view text) { return util::base64_decode(text).has_value(); }},
    {"ipv4", is_ipv4},
    {"duration", is_duration},
    {"uuid", is_uuid},
    {"hostname", is_host_name},
    {"email", [](std::string_view text) { return matches(text, R"([^@\s]+@[^@\s]+)"); }},
    {"uri",
     [](std::string_view text) { return matches(text, R"((?:[A-Za-z][A-Za-z0-9+.-]*:|/)\S*)"); }},
}};

}  // namespace

bool matches_format(std::string_view text, std::string_view format) {
  const auto found = std::find_if(k_formats.begin(), k_formats.end(),
                                  [format](const Format& each) { return each.name == format; });
  return found == k_formats.end() || found->test(text);
}

}  // namespace kubist::data
