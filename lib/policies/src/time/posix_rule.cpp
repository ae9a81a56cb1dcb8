#include "time/posix_rule.hpp"

#include <algorithm>

#include <kubist/util/text.hpp>

namespace kubist::policies {

using util::is_digit;

using std::chrono::days;
using std::chrono::seconds;

namespace {

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

}  // namespace

class PosixRuleParser {
 public:
  explicit PosixRuleParser(std::string_view text) : m_text(text) {}

  std::optional<PosixRule> run() {
    PosixRule rule;
    if (!name() || !offset(rule.m_standard)) {
      return std::nullopt;
    }
    rule.m_standard = -rule.m_standard;  // west is positive there
    if (m_text.empty()) {
      return rule;
    }
    rule.m_summer = rule.m_standard + std::chrono::hours(1);
    if (!name()) {
      return std::nullopt;
    }
    if (!m_text.empty() && m_text.front() != ',') {
      if (!offset(rule.m_summer)) {
        return std::nullopt;
      }
      rule.m_summer = -rule.m_summer;
    }
    rule.m_begin.emplace();
    rule.m_end.emplace();
    if (!change(*rule.m_begin) || !change(*rule.m_end) || !m_text.empty()) {
      return std::nullopt;
    }
    return rule;
  }

 private:
  bool take(char c) {
    const bool is_next = m_text.starts_with(c);
    m_text.remove_prefix(is_next ? 1 : 0);
    return is_next;
  }

  bool name() {
    const bool quoted = take('<');
    const auto end = std::find_if_not(m_text.begin(), m_text.end(), [&](char c) {
      return is_letter(c) || (quoted && (is_digit(c) || c == '+' || c == '-'));
    });
    const auto length = static_cast<std::size_t>(end - m_text.begin());
    m_text.remove_prefix(length);
    return length >= 3 && (!quoted || take('>'));
  }

  bool number(int& value, int least, int most) {
    std::size_t length = 0;
    value = 0;
    while (length < std::min<std::size_t>(m_text.size(), 3) && is_digit(m_text[length])) {
      value = 10 * value + (m_text[length++] - '0');
    }
    m_text.remove_prefix(length);
    return length > 0 && value >= least && value <= most;
  }

  /// "5", "-5:45", "167:59:59".
  bool offset(seconds& value) {
    const int sign = take('-') ? -1 : 1;
    if (sign == 1) {
      take('+');
    }
    int hours = 0, minutes = 0, rest = 0;
    const bool reads =
        number(hours, 0, 167) &&
        (!take(':') || (number(minutes, 0, 59) && (!take(':') || number(rest, 0, 59))));
    value = sign * (std::chrono::hours(hours) + std::chrono::minutes(minutes) + seconds(rest));
    return reads;
  }

  bool change(ClockChange& made) {
    bool reads = take(',');
    if (take('M')) {
      reads = reads && number(made.month, 1, 12) && take('.') && number(made.week, 1, 5) &&
              take('.') && number(made.day, 0, 6);
    } else if (take('J')) {
      made.kind = ClockChange::Kind::julian;
      reads = reads && number(made.day, 1, 365);
    } else {
      made.kind = ClockChange::Kind::day;
      reads = reads && number(made.day, 0, 365);
    }
    return reads && (!take('/') || offset(made.time));
  }

  std::string_view m_text;
};

std::optional<PosixRule> PosixRule::parse(std::string_view text) {
  return PosixRuleParser(text).run();
}

std::chrono::local_seconds ClockChange::in(std::chrono::year year) const {
  using std::chrono::local_days;
  const local_days first(year / std::chrono::January / 1);
  if (kind == Kind::weekday) {
    const auto at = year / std::chrono::month(static_cast<unsigned>(month));
    const std::chrono::weekday weekday(static_cast<unsigned>(day));
    return (week == 5 ? local_days(at / weekday[std::chrono::last])
                      : local_days(at / weekday[static_cast<unsigned>(week)])) +
           time;
  }
  constexpr int k_march = 60;
  const bool leap = kind == Kind::julian && year.is_leap() && day >= k_march;
  return first + days(kind == Kind::julian ? day - 1 + (leap ? 1 : 0) : day) + time;
}

seconds PosixRule::offset_at(std::chrono::sys_seconds time) const {
  if (!m_begin) {
    return m_standard;
  }
  const auto year = std::chrono::year_month_day(std::chrono::floor<days>(time + m_standard)).year();
  // Around a turn of the year the nearest change may be of another one.
  seconds offset = m_standard;
  auto latest = std::chrono::sys_seconds::min();
  for (const auto each : {year - std::chrono::years(1), year, year + std::chrono::years(1)}) {
    const std::chrono::sys_seconds begin((m_begin->in(each)-m_standard).time_since_epoch());
    const std::chrono::sys_seconds end((m_end->in(each)-m_summer).time_since_epoch());
    if (begin <= time && begin >= latest) {
      latest = begin;
      offset = m_summer;
    }
    if (end <= time && end > latest) {
      latest = end;
      offset = m_standard;
    }
  }
  return offset;
}

}  // namespace kubist::policies
