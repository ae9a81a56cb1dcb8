#include "windows.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

namespace kubist::policies {

using data::Json;
using std::chrono::days;
using std::chrono::minutes;
using util::cat;
using util::ErrorKind;

namespace {

constexpr std::array<std::string_view, 7> k_days{"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
constexpr minutes k_day{24 * 60};

util::Result<minutes> read_clock(std::string_view text, std::string_view field) {
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
  return util::fail(ErrorKind::invalid,
                    cat("windows: ", field, ": \"", text, "\" is not a time of day like 22:00"));
}

util::Result<> read_days(const Json& list, Window& window) {
  window.days.fill(list.empty());
  for (const Json& day : list) {
    std::string word = util::lower(day.is_string() ? day.get<std::string>() : std::string());
    auto found = std::find(k_days.begin(), k_days.end(), std::string_view(word).substr(0, 3));
    if (word.size() < 3 || found == k_days.end()) {
      return util::fail(ErrorKind::invalid,
                        cat("windows: days: \"", word, "\" is not a day like Mon"));
    }
    window.days[static_cast<std::size_t>(found - k_days.begin())] = true;
  }
  return {};
}

util::Result<std::optional<Seconds>> read_date(const Json& json, const char* field) {
  auto text = data::string_at(json, {field});
  if (text.empty()) {
    return std::optional<Seconds>();
  }
  auto time = util::parse_time(text);
  if (!time) {
    return util::fail(util::with_context(time.error(), cat("windows: ", field)));
  }
  return std::optional(std::chrono::time_point_cast<std::chrono::seconds>(*time));
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

constexpr int k_horizon_days = 8;

// The spans around `from` and the ten days after it: more than a week, so that a weekly window
// always shows its next start.
void spans_of(const Window& window, Seconds from, minutes offset, std::vector<Span>& out) {
  auto today = std::chrono::floor<days>(from + offset);
  minutes length = window.to - window.from;
  if (length <= minutes(0)) {
    length += k_day;
  }
  for (int i = -1; i <= 9; ++i) {
    auto day = today + days(i);
    std::chrono::weekday weekday{day};
    if (window.days[weekday.c_encoding()]) {
      Seconds begin = Seconds(day) + window.from - offset;
      clip(window, {begin, begin + length}, out);
    }
  }
}

bool open_at(const std::vector<Span>& spans, Seconds at) {
  return std::any_of(spans.begin(), spans.end(),
                     [&](const Span& span) { return span.begin <= at && at < span.end; });
}

}  // namespace

util::Result<Window> read_window(const Json& json) {
  Window window;
  KUBIST_TRY(window.start, read_date(json, "start"));
  KUBIST_TRY(window.end, read_date(json, "end"));
  if (window.start && window.end && *window.start >= *window.end) {
    return util::fail(ErrorKind::invalid, "windows: end must be after start");
  }
  const Json* listed = data::find_path(json, {"days"});
  KUBIST_CHECK(read_days(listed ? *listed : Json::array(), window));
  KUBIST_TRY(window.from, read_clock(data::string_at(json, {"from"}, "00:00"), "from"));
  KUBIST_TRY(window.to, read_clock(data::string_at(json, {"to"}, "24:00"), "to"));
  return window;
}

util::Result<minutes> read_offset(std::string_view text) {
  if (text.empty() || text == "Z" || text == "z" || util::iequals(text, "UTC")) {
    return minutes(0);
  }
  std::string digits = util::replace_all(text.substr(1), ":", "");
  auto number = util::parse_int(digits);
  bool fits = (text[0] == '+' || text[0] == '-') && digits.size() == 4 && number && *number >= 0 &&
              *number % 100 < 60 && *number <= 1400;
  if (!fits) {
    return util::fail(ErrorKind::invalid,
                      cat("utcOffset: \"", text, "\" is not an offset like +01:00"));
  }
  minutes offset(*number / 100 * 60 + *number % 100);
  return text[0] == '-' ? -offset : offset;
}

WindowState state_of(const std::vector<Window>& windows, Seconds now, minutes offset) {
  std::vector<Span> spans;
  std::vector<Seconds> ends;
  for (const Window& window : windows) {
    spans_of(window, now, offset, spans);
    if (window.start && *window.start > now) {
      spans_of(window, *window.start, offset, spans);
    }
    if (window.end && *window.end > now) {
      spans_of(window, *window.end - days(1), offset, spans);
      ends.push_back(*window.end);
    }
  }
  WindowState state{open_at(spans, now), std::nullopt};
  std::vector<Seconds> bounds;
  for (const Span& span : spans) {
    bounds.push_back(span.begin);
    bounds.push_back(span.end);
  }
  std::sort(bounds.begin(), bounds.end());
  for (Seconds bound : bounds) {
    // Where the looked-at days end is no end of the window, unless it says so.
    bool real = !state.open || bound <= now + days(k_horizon_days) ||
                std::find(ends.begin(), ends.end(), bound) != ends.end();
    if (real && bound > now && open_at(spans, bound) != state.open) {
      state.changes_at = bound;
      return state;
    }
  }
  return state;
}

}  // namespace kubist::policies
