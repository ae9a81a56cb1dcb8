#pragma once
#include <array>
#include <bitset>
#include <chrono>
#include <string_view>
#include <vector>

#include <kubist/util/result.hpp>

namespace kubist::policies {

/// The days of the week as schedules and windows name them, in the order of weekday::c_encoding().
inline constexpr std::array<std::string_view, 7> k_days{"sun", "mon", "tue", "wed",
                                                        "thu", "fri", "sat"};

/// A schedule as Kubernetes' CronJobs write it: minute, hour, day of the month, month, day of the
/// week; `*`, `?`, lists, ranges, steps, names of months and days; @hourly, @daily, @midnight,
/// @weekly, @monthly, @yearly, @annually. Where both days are given, either one suffices.
class Cron {
 public:
  /// Invalid: names the field.
  static util::Result<Cron> parse(std::string_view text);

  bool matches(std::chrono::year_month_day day) const;
  /// The times of day at which it starts, ascending; on the days that match.
  const std::vector<std::chrono::minutes>& times() const { return m_times; }

 private:
  std::vector<std::chrono::minutes> m_times;
  std::bitset<32> m_days;
  std::bitset<13> m_months;
  std::bitset<7> m_weekdays;  ///< from Sunday
  bool m_any_day = true, m_any_weekday = true;
};

}  // namespace kubist::policies
