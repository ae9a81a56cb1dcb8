#include "time/windows.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

namespace kubist::policies {

using data::Json;
using std::chrono::days;
using std::chrono::minutes;
using util::cat;

namespace {

constexpr minutes k_day{24 * 60};
constexpr int k_horizon_days = 8;
constexpr std::chrono::hours k_longest_schedule{7 * 24};  // of a schedule's duration
constexpr int k_leap_years = 8 * 366;  // within which any day of any month comes again

util::Result<minutes> read_clock(const Json& json, std::string_view field,
                                 std::string_view otherwise, const Place& place) {
  const std::string_view text = data::string_at(json, {field}, otherwise);
  auto parts = util::split(text, ':');
  if (parts.size() == 2 && parts[0].size() <= 2 && parts[1].size() == 2) {
    auto hour = util::parse_int(parts[0]);
    auto minute = util::parse_int(parts[1]);
    bool fits = hour && minute && *hour >= 0 && *minute >= 0 && *minute < 60 &&
                (*hour < 24 || (*hour == 24 && *minute == 0));
    if (fits) {
      return minutes(*hour * 60 + *minute);
    }
  }
  return (place / field)
      .fail(cat("windows: ", field, ": \"", text, "\" is not a time of day like 22:00"));
}

util::Result<> read_days(const Json& list, const Place& place, Window& window) {
  window.days.fill(list.empty());
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::string word =
        util::lower(list[i].is_string() ? list[i].get<std::string>() : std::string());
    auto found = std::find(k_days.begin(), k_days.end(), std::string_view(word).substr(0, 3));
    if (word.size() < 3 || found == k_days.end()) {
      return (place / i).fail(cat("windows: days: \"", word, "\" is not a day like Mon"));
    }
    window.days[static_cast<std::size_t>(found - k_days.begin())] = true;
  }
  return {};
}

util::Result<std::optional<Seconds>> read_date(const Json& json, std::string_view field,
                                               const Place& place) {
  auto text = data::string_at(json, {field});
  if (text.empty()) {
    return std::optional<Seconds>();
  }
  auto time = (place / field).mark(util::parse_time(text));
  if (!time) {
    return util::fail(util::with_context(time.error(), cat("windows: ", field)));
  }
  return std::optional(std::chrono::time_point_cast<std::chrono::seconds>(*time));
}

// Argo CD's words of its sync windows.
util::Result<> read_schedule(const Json& json, std::string_view text, const Place& place,
                             Window& window) {
  for (const char* field : {"days", "from", "to"}) {
    if (json.contains(field)) {
      return (place / field)
          .key()
          .fail(cat("windows: schedule and ", field, " both say when, give only one"));
    }
  }
  auto schedule = (place / "schedule").mark(Cron::parse(text));
  if (!schedule) {
    return util::fail(util::with_context(schedule.error(), "windows"));
  }
  const auto duration = util::parse_duration(data::string_at(json, {"duration"}));
  if (!duration || *duration < minutes(1) || *duration > k_longest_schedule) {
    return (place / "duration")
        .fail("windows: a schedule needs a duration from 1m to 168h, such as 8h");
  }
  window.schedule = *std::move(schedule);
  window.duration = std::chrono::floor<std::chrono::seconds>(*duration);
  return {};
}

struct Span {
  Seconds begin;
  Seconds end;
};

void clip(const Window& window, Span span, std::vector<Span>& out) {
  if (window.start) {
    span.begin = std::max(span.begin, *window.start);
  }
  if (window.end) {
    span.end = std::min(span.end, *window.end);
  }
  if (span.begin < span.end) {
    out.push_back(span);
  }
}

void add_day(const Window& window, std::chrono::local_days day, const Zone& zone,
             std::vector<Span>& out) {
  if (window.schedule) {
    if (!window.schedule->matches(std::chrono::year_month_day(day))) {
      return;
    }
    for (const minutes time : window.schedule->times()) {
      const Seconds begin = zone.to_utc(day + time);
      clip(window, {begin, begin + window.duration}, out);
    }
    return;
  }
  minutes length = window.to - window.from;
  if (length <= minutes(0)) {
    length += k_day;
  }
  if (window.days[std::chrono::weekday(day).c_encoding()]) {
    clip(window, {zone.to_utc(day + window.from), zone.to_utc(day + window.from + length)}, out);
  }
}

// The spans around `from` and the ten days after it: more than a week, so that a weekly window
// always shows its next start; of a schedule that is rarer the next one too.
void spans_of(const Window& window, Seconds from, const Zone& zone, std::vector<Span>& out) {
  const auto today = std::chrono::floor<days>(
      std::chrono::local_seconds((from + zone.offset_at(from)).time_since_epoch()));
  const int before = window.schedule ? static_cast<int>(k_longest_schedule / k_day) + 1 : 1;
  for (int i = -before; i <= k_horizon_days + 1; ++i) {
    add_day(window, today + days(i), zone, out);
  }
  const auto ahead = [&] {
    return std::any_of(out.begin(), out.end(), [&](const Span& span) { return span.begin > from; });
  };
  for (int i = k_horizon_days + 2; window.schedule && i <= k_leap_years && !ahead(); ++i) {
    add_day(window, today + days(i), zone, out);
  }
}

/// Ascending, those that touch as one.
std::vector<Span> merged(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  std::vector<Span> all;
  for (const Span& span : spans) {
    if (!all.empty() && span.begin <= all.back().end) {
      all.back().end = std::max(all.back().end, span.end);
    } else {
      all.push_back(span);
    }
  }
  return all;
}

}  // namespace

util::Result<Window> read_window(const Json& json, const Place& place) {
  Window window;
  KUBIST_TRY(window.start, read_date(json, "start", place));
  KUBIST_TRY(window.end, read_date(json, "end", place));
  if (window.start && window.end && *window.start >= *window.end) {
    return (place / "end").fail("windows: end must be after start");
  }
  if (const std::string_view schedule = data::string_at(json, {"schedule"}); !schedule.empty()) {
    KUBIST_CHECK(read_schedule(json, schedule, place, window));
    return window;
  }
  const Json* listed = data::find_path(json, {"days"});
  KUBIST_CHECK(read_days(listed ? *listed : Json::array(), place / "days", window));
  KUBIST_TRY(window.from, read_clock(json, "from", "00:00", place));
  KUBIST_TRY(window.to, read_clock(json, "to", "24:00", place));
  return window;
}

WindowState state_of(const std::vector<Window>& windows, Seconds now, const Zone& zone) {
  std::vector<Span> spans;
  std::vector<Seconds> ends;
  for (const Window& window : windows) {
    spans_of(window, now, zone, spans);
    if (window.start && *window.start > now) {
      spans_of(window, *window.start, zone, spans);
    }
    if (window.end && *window.end > now) {
      spans_of(window, *window.end - days(1), zone, spans);
      ends.push_back(*window.end);
    }
  }
  WindowState state;
  for (const Span& span : merged(std::move(spans))) {
    if (span.end <= now) {
      continue;
    }
    if (span.begin > now && !state.open) {
      state.changes_at = span.begin;
      return state;
    }
    state.open = true;
    // Where the looked-at days end is no end of the window, unless it says so.
    if (span.end <= now + days(k_horizon_days) ||
        std::find(ends.begin(), ends.end(), span.end) != ends.end()) {
      state.changes_at = span.end;
      return state;
    }
  }
  return state;
}

}  // namespace kubist::policies
