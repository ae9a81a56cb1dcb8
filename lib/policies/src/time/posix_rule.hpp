#pragma once
#include <chrono>
#include <optional>
#include <string_view>

namespace kubist::policies {

/// A moment of each year, on the clocks as they are before it.
struct ClockChange {
  enum class Kind { weekday, julian, day };  ///< Mm.w.d; Jn: without leap days; n: from 0
  Kind kind = Kind::weekday;
  int month = 0, week = 0, day = 0;
  std::chrono::seconds time{7200};
  std::chrono::local_seconds in(std::chrono::year year) const;
};

/// How a zone's clocks are set year after year: the TZ string of POSIX (IEEE 1003.1, 8.3) with the
/// extensions of RFC 8536, 3.3.1: "CET-1CEST,M3.5.0,M10.5.0/3", "<+0545>-5:45". Immutable.
class PosixRule {
 public:
  /// Nothing: it does not read.
  static std::optional<PosixRule> parse(std::string_view text);
  std::chrono::seconds offset_at(std::chrono::sys_seconds time) const;

 private:
  friend class PosixRuleParser;
  std::chrono::seconds m_standard{0}, m_summer{0};
  std::optional<ClockChange> m_begin, m_end;  ///< of summer time; none: never
};

}  // namespace kubist::policies
