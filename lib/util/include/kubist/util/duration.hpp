#pragma once
#include <chrono>
#include <string>
#include <string_view>

#include <kubist/util/result.hpp>

namespace kubist::util {

/// Go's time.ParseDuration ("1h30m", "1.5s", "300ms", "-2m", "0"), exact to the nanosecond; invalid
/// beyond 292 years.
Result<std::chrono::nanoseconds> parse_duration(std::string_view text);
/// As kubectl prints ages: "5s", "2m30s", "3h5m", "4d2h", "2y10d".
std::string human_duration(std::chrono::seconds age);
/// As Go prints durations: "1h30m0s", "1.5s", "300ms", "0s".
std::string go_duration(std::chrono::nanoseconds duration);

/// UTC time with seconds, RFC 3339: "2026-11-21T10:00:00Z" (metav1.Time).
std::string format_time(std::chrono::system_clock::time_point time);
/// UTC time with microseconds (metav1.MicroTime, as Leases use).
std::string format_micro_time(std::chrono::system_clock::time_point time);
/// Parses RFC 3339 with any number of fraction digits and any offset, in whole and strictly: what a
/// clock cannot show (February 30, 24:00, a leap second, text behind it) is invalid. What is
/// outside of 1970 to 2200, such as the year 9999 of certificates that never end, becomes the
/// nearest time in it: so the type holds the difference of any two, and a sum with 62 years.
Result<std::chrono::system_clock::time_point> parse_time(std::string_view text);

}  // namespace kubist::util
