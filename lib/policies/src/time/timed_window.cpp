#include <kubist/data/pointer.hpp>
#include <kubist/policies/timed_window.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "policy/release_policy.hpp"
#include "time/windows.hpp"

namespace kubist::policies {

using util::cat;

namespace {

constexpr int k_most_windows = 64;  // each may open at every minute of two weeks and more

constexpr const char* k_timed_window_doc =
    "Inside a window the object is kept in its desired state, with patchInside applied. Outside it "
    "is held: nothing is changed, what was Ready stays Ready, and a CanaryRelease keeps its "
    "weight. With `outside: continue` it is kept with patchOutside applied instead.\n\nA window "
    "has days (default: all), and times of day from and to. Where to is before from it runs over "
    "midnight, and counts to the day on which it starts. start and end (RFC 3339) are outer "
    "bounds. Or it has a schedule as of a CronJob (\"0 22 * * 1-5\"), and the duration for which "
    "it is open from then. Days and times are UTC unless timeZone (Europe/Berlin) or utcOffset "
    "says otherwise.";

Json timed_window_schema() {
  const auto text = [](const char* description) {
    return Json{{"type", "string"}, {"description", description}};
  };
  const auto time = [](const char* description) {
    return Json{{"type", "string"}, {"format", "date-time"}, {"description", description}};
  };
  Json window = {
      {"type", "object"},
      {"properties",
       {{"days",
         {{"type", "array"},
          {"description", "Days of the week on which it opens; all by default."},
          {"items", {{"type", "string"}}}}},
        {"from", text("The time of day at which it opens, such as 22:00.")},
        {"to", text("The time of day at which it closes; before from, it is on the next day.")},
        {"schedule", text("Instead of days, from and to: when it opens, as of a CronJob.")},
        {"duration", text("How long it is open from each time of the schedule, 1m to 168h.")},
        {"start", time("It is never open before this time.")},
        {"end", time("It is never open after this time.")}}}};
  return {
      {"type", "object"},
      {"required", {"windows"}},
      {"properties",
       {{"windows",
         {{"type", "array"},
          {"minItems", 1},
          {"maxItems", k_most_windows},
          {"description", "When it is open: any of them."},
          {"items", window}}},
        {"timeZone",
         {{"type", "string"}, {"description", "Of days and times, by its name: Europe/Berlin."}}},
        {"utcOffset",
         {{"type", "string"},
          {"description", "Offset of days and times from UTC, like +01:00; Z by default."}}},
        {"outside",
         {{"type", "string"},
          {"enum", {"hold", "continue"}},
          {"default", "hold"},
          {"description", "What happens outside the windows."}}},
        {"patchInside", patch_schema("JSON Patch on the resource while a window is open.")},
        {"patchOutside", patch_schema("JSON Patch while none is open (outside: continue).")}}}};
}

std::string until(const WindowState& state) {
  return state.changes_at ? cat(" until ", util::format_time(*state.changes_at)) : std::string();
}

util::Result<std::vector<Window>> read_windows(const Json& parameters, const Place& place = {}) {
  std::vector<Window> windows;
  for (const Json& json : parameters["windows"]) {
    KUBIST_TRY(auto window, read_window(json, place / "windows" / windows.size()));
    windows.push_back(std::move(window));
  }
  return windows;
}

util::Result<Zone> read_zone(const Json& parameters, const Place& place = {}) {
  const std::string_view name = data::string_at(parameters, {"timeZone"});
  const std::string_view offset = data::string_at(parameters, {"utcOffset"});
  if (!name.empty() && !offset.empty()) {
    return (place / "utcOffset").fail("timeZone and utcOffset contradict each other: give one");
  }
  return name.empty() ? (place / "utcOffset").mark(Zone::read_offset(offset))
                      : (place / "timeZone").mark(Zone::find(name));
}

util::Result<> apply_timed_window(Json& list) {
  const Json parameters = parameters_of(list);
  KUBIST_TRY(const auto windows, read_windows(parameters));
  KUBIST_TRY(const Zone zone, read_zone(parameters));
  KUBIST_TRY(auto time, util::parse_time(data::string_at(list, {"functionConfig", "now"})));
  auto now = std::chrono::floor<std::chrono::seconds>(time);
  WindowState state = state_of(windows, now, zone);
  if (state.changes_at) {
    set_requeue(list, *state.changes_at - now);
  }
  bool hold = !state.open && data::string_at(parameters, {"outside"}, "hold") == "hold";
  if (hold && is_release(list)) {
    // Not `Hold`: the release's abort rules stay armed.
    decide(list, engine::Action::hold, "OutsideWindow", cat("outside its windows", until(state)));
    return {};
  }
  if (hold) {
    set_outcome(list, "Hold", cat("outside its windows", until(state)));
    return {};
  }
  set_outcome(list, state.open ? "Inside" : "Outside",
              cat(state.open ? "inside a window" : "outside its windows", until(state)));
  auto patch = parameters.find(state.open ? "patchInside" : "patchOutside");
  return patch == parameters.end() ? util::Result<>() : patch_resource(list, *patch);
}

}  // namespace

Builtin timed_window() {
  BuiltinText text{"TimedWindow", "Acts inside or outside of windows of time.", k_timed_window_doc,
                   timed_window_schema(), true};
  text.check = [](const Json& parameters, const data::PositionLookup& lookup) -> util::Result<> {
    KUBIST_CHECK(read_windows(parameters, Place(lookup)));
    KUBIST_CHECK(read_zone(parameters, Place(lookup)));
    return {};
  };
  return make_builtin(std::move(text),
                      {"timed-window", "TimedWindowPolicy", "TimedPolicy", "window"},
                      apply_timed_window);
}

}  // namespace kubist::policies
