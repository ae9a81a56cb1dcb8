#include "time/cron.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>

#include <kubist/util/text.hpp>

namespace kubist::policies {

using util::cat;
using util::ErrorKind;

namespace {

constexpr std::array<std::string_view, 12> k_months{"jan", "feb", "mar", "apr", "may", "jun",
                                                    "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> k_short{
    {{"@hourly", "0 * * * *"},
     {"@daily", "0 0 * * *"},
     {"@midnight", "0 0 * * *"},
     {"@weekly", "0 0 * * 0"},
     {"@monthly", "0 0 1 * *"},
     {"@yearly", "0 0 1 1 *"},
     {"@annually", "0 0 1 1 *"}}};

struct Field {
  std::string_view name;
  int least, most;
  std::span<const std::string_view> names = {};  ///< of its values, from `least` on
};

tl::unexpected<util::Error> wrong(const Field& field, std::string_view text) {
  return util::fail(ErrorKind::invalid, cat("schedule: ", field.name, ": \"", util::printable(text),
                                            "\" is not ", field.least, " to ", field.most,
                                            ", *, or a list, a range or steps of them"));
}

util::Result<int> read_value(const Field& field, std::string_view text) {
  for (std::size_t i = 0; i < field.names.size(); ++i) {
    if (util::iequals(text, field.names[i])) {
      return field.least + static_cast<int>(i);
    }
  }
  const auto number = util::parse_int(text);
  if (!number || *number < field.least || *number > field.most) {
    return wrong(field, text);
  }
  return static_cast<int>(*number);
}

/// "*", "5", "1-5", "*/15", "10-20/5", "5/15" (from 5 on).
util::Result<> read_part(const Field& field, std::string_view part, std::vector<bool>& set) {
  const auto slash = part.find('/');
  const std::string_view range = part.substr(0, slash);
  int first = field.least;
  int last = field.most;
  if (range != "*" && range != "?") {
    const auto dash = range.find('-');
    KUBIST_TRY(first, read_value(field, range.substr(0, dash)));
    if (dash != std::string_view::npos) {
      KUBIST_TRY(last, read_value(field, range.substr(dash + 1)));
    } else if (slash == std::string_view::npos) {
      last = first;
    }
  }
  std::int64_t step = 1;
  if (slash != std::string_view::npos) {
    const auto read = util::parse_int(part.substr(slash + 1));
    step = read ? *read : 0;
  }
  if (step < 1 || step > field.most || first > last) {
    return wrong(field, part);
  }
  for (int value = first; value <= last; value += static_cast<int>(step)) {
    set[static_cast<std::size_t>(value)] = true;
  }
  return {};
}

/// By value; `any`, where given: is it not restricted?
util::Result<std::vector<bool>> read_field(const Field& field, std::string_view text,
                                           bool* any = nullptr) {
  std::vector<bool> set(static_cast<std::size_t>(field.most) + 1);
  for (const std::string& part : util::split(text, ',')) {
    KUBIST_CHECK(read_part(field, part, set));
    if (any != nullptr && (part == "*" || part == "?")) {
      *any = true;
    }
  }
  return set;
}

}  // namespace

util::Result<Cron> Cron::parse(std::string_view text) {
  for (const auto& [name, meant] : k_short) {
    text = util::trim(text) == name ? meant : text;
  }
  std::vector<std::string> fields = util::split(text, ' ');
  std::erase(fields, "");
  if (fields.size() != 5) {
    return util::fail(ErrorKind::invalid,
                      cat("schedule: \"", util::printable(text),
                          "\" does not have five fields: minute hour day month weekday"));
  }
  Cron cron;
  cron.m_any_day = cron.m_any_weekday = false;
  KUBIST_TRY(const auto minutes, read_field({"minute", 0, 59}, fields[0]));
  KUBIST_TRY(const auto hours, read_field({"hour", 0, 23}, fields[1]));
  KUBIST_TRY(const auto days, read_field({"day", 1, 31}, fields[2], &cron.m_any_day));
  KUBIST_TRY(const auto months, read_field({"month", 1, 12, k_months}, fields[3]));
  KUBIST_TRY(const auto weekdays, read_field({"weekday", 0, 7, k_days}, fields[4],
                                             &cron.m_any_weekday));  // 7 is Sunday too
  for (std::size_t hour = 0; hour < hours.size(); ++hour) {
    for (std::size_t minute = 0; minute < minutes.size(); ++minute) {
      if (hours[hour] && minutes[minute]) {
        cron.m_times.emplace_back(hour * 60 + minute);
      }
    }
  }
  for (std::size_t i = 0; i < days.size(); ++i) {
    cron.m_days[i] = days[i];
  }
  for (std::size_t i = 0; i < months.size(); ++i) {
    cron.m_months[i] = months[i];
  }
  for (std::size_t i = 0; i < weekdays.size(); ++i) {
    cron.m_weekdays[i % 7] = cron.m_weekdays[i % 7] || weekdays[i];
  }
  return cron;
}

bool Cron::matches(std::chrono::year_month_day day) const {
  if (!m_months[static_cast<unsigned>(day.month())]) {
    return false;
  }
  const bool by_day = m_days[static_cast<unsigned>(day.day())];
  const bool by_weekday = m_weekdays[std::chrono::weekday(std::chrono::sys_days(day)).c_encoding()];
  return m_any_day || m_any_weekday ? by_day && by_weekday : by_day || by_weekday;
}

}  // namespace kubist::policies
