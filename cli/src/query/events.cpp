#include "events.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {
namespace {

using data::Json;

std::string_view first_of(std::initializer_list<std::string_view> texts) {
  for (const std::string_view text : texts) {
    if (!text.empty()) {
      return text;
    }
  }
  return {};
}

std::string since(std::string_view time, Now now) {
  const auto parsed = util::parse_time(time);
  return time.empty() || !parsed
             ? "<unknown>"
             : util::human_duration(
                   std::chrono::duration_cast<std::chrono::seconds>(now - *parsed));
}

}  // namespace

Now event_time(const Json& event) {
  const auto parsed = util::parse_time(
      first_of({data::string_at(event, {"series", "lastObservedTime"}),
                data::string_at(event, {"lastTimestamp"}), data::string_at(event, {"eventTime"}),
                data::string_at(event, {"firstTimestamp"})}));
  return parsed ? *parsed : Now();
}

void sort_events(std::vector<Json>& events) {
  std::stable_sort(events.begin(), events.end(),
                   [](const Json& a, const Json& b) { return event_time(a) < event_time(b); });
}

std::string event_age(const Json& event, Now now) {
  const std::string first = since(
      first_of({data::string_at(event, {"eventTime"}), data::string_at(event, {"firstTimestamp"})}),
      now);
  const Json* series = data::find_path(event, {"series"});
  if (series != nullptr && series->is_object()) {
    return util::cat(since(data::string_at(*series, {"lastObservedTime"}), now), " (x",
                     data::int_at(*series, {"count"}), " over ", first, ')');
  }
  const std::int64_t count = data::int_at(event, {"count"});
  return count > 1 ? util::cat(since(data::string_at(event, {"lastTimestamp"}), now), " (x", count,
                               " over ", first, ')')
                   : first;
}

std::string event_source(const Json& event) {
  return std::string(first_of({data::string_at(event, {"source", "component"}),
                               data::string_at(event, {"reportingComponent"})}));
}

std::string event_message(const Json& event) {
  return std::string(util::trim(data::string_at(event, {"message"})));
}

}  // namespace kubist::cli
