#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

namespace kubist::util {
namespace {

using namespace std::chrono;

std::string format_with(system_clock::time_point time, bool with_micros) {
  const auto micros = floor<microseconds>(time);  // in nanoseconds the first day overflows
  const auto day = floor<days>(micros);
  const year_month_day date(day);
  const hh_mm_ss clock(micros - day);
  std::array<char, 64> buffer{};
  int size = std::snprintf(
      buffer.data(), buffer.size(), "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()));
  std::string text(buffer.data(), static_cast<std::size_t>(size));
  if (with_micros) {
    size = std::snprintf(buffer.data(), buffer.size(), ".%06d",
                         static_cast<int>(clock.subseconds().count()));
    text.append(buffer.data(), static_cast<std::size_t>(size));
  }
  return text + 'Z';
}

/// Takes so many digits away, whose number must be in [low, high].
std::optional<int> take_number(std::string_view& text, std::size_t digits, int low, int high) {
  if (text.size() < digits) {
    return std::nullopt;
  }
  int number = 0;
  for (const char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') {
      return std::nullopt;
    }
    number = number * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return number >= low && number <= high ? std::optional(number) : std::nullopt;
}

bool take(std::string_view& text, std::string_view one_of) {
  if (text.empty() || one_of.find(text.front()) == one_of.npos) {
    return false;
  }
  text.remove_prefix(1);
  return true;
}

std::optional<sys_days> take_date(std::string_view& text) {
  const auto y = take_number(text, 4, 0, 9999);
  const auto m = y && take(text, "-") ? take_number(text, 2, 1, 12) : std::nullopt;
  const auto d = m && take(text, "-") ? take_number(text, 2, 1, 31) : std::nullopt;
  if (!d) {
    return std::nullopt;
  }
  const year_month_day date(year(*y), month(static_cast<unsigned>(*m)),
                            day(static_cast<unsigned>(*d)));
  return date.ok() ? std::optional(sys_days(date)) : std::nullopt;
}

std::optional<seconds> take_hours_and_minutes(std::string_view& text) {
  const auto h = take_number(text, 2, 0, 23);
  const auto m = h && take(text, ":") ? take_number(text, 2, 0, 59) : std::nullopt;
  return m ? std::optional<seconds>(hours(*h) + minutes(*m)) : std::nullopt;
}

/// Digits after the point, cut to nanoseconds; none without a point.
std::optional<nanoseconds> take_fraction(std::string_view& text) {
  nanoseconds fraction(0);
  if (!take(text, ".")) {
    return fraction;
  }
  const std::size_t all = std::min(text.find_first_not_of("0123456789"), text.size());
  nanoseconds digit = 100ms;
  for (const char c : text.substr(0, all)) {
    fraction += digit * (c - '0');
    digit /= 10;
  }
  text.remove_prefix(all);
  return all > 0 ? std::optional(fraction) : std::nullopt;
}

/// How far the clock is ahead of UTC.
std::optional<seconds> take_offset(std::string_view& text) {
  if (take(text, "Zz")) {
    return seconds(0);
  }
  const bool behind = text.starts_with('-');
  const auto offset = take(text, "+-") ? take_hours_and_minutes(text) : std::nullopt;
  return offset && behind ? -*offset : offset;
}

}  // namespace

std::string format_time(system_clock::time_point time) { return format_with(time, false); }
std::string format_micro_time(system_clock::time_point time) { return format_with(time, true); }

Result<system_clock::time_point> parse_time(std::string_view text) {
  std::string_view rest = text;
  const auto date = take_date(rest);
  const auto minute = date && take(rest, "Tt") ? take_hours_and_minutes(rest) : std::nullopt;
  const auto second = minute && take(rest, ":") ? take_number(rest, 2, 0, 59) : std::nullopt;
  const auto fraction = second ? take_fraction(rest) : std::nullopt;
  const auto offset = fraction ? take_offset(rest) : std::nullopt;
  if (!offset || !rest.empty()) {
    return fail(ErrorKind::invalid, cat("not an RFC 3339 time: \"", text, "\""),
                "Write it as 2026-11-21T10:00:00Z.");
  }
  using Time = system_clock::time_point;
  const sys_seconds time = *date + *minute + seconds(*second) - *offset;
  constexpr sys_seconds k_last = sys_days(2200y / January / 1);
  return time < k_last ? std::max(time, sys_seconds{}) + *fraction : Time(k_last);
}

}  // namespace kubist::util
