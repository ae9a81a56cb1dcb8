#pragma once
#include <kubist/policies/builtin.hpp>

namespace kubist::policies {

/// TimedWindow: acts by the time of day, the weekday and the date.
///
///   policies:
///     - name: TimedWindow
///       parameters:
///         windows:                       # any of them; at least one
///           - {days: [Mon, Tue, Wed, Thu, Fri], from: "22:00", to: "06:00"}
///           - {schedule: "0 9 1-7 * 2", duration: 8h}   # opens as a CronJob starts
///           - {start: "2026-12-24T00:00:00Z", end: "2026-12-27T00:00:00Z"}
///         timeZone: Europe/Berlin        # of days, times and schedules; or utcOffset: "+01:00";
///                                        # default UTC
///         outside: hold                  # hold (default): change nothing; continue
///         patchInside: []                # JSON Patch on the resource (paths below /spec) inside
///         patchOutside: []               # the same outside (with outside: continue)
///
/// `from` after `to` runs over midnight and counts to the day it starts on; equal means the whole
/// day; `to: "24:00"` is the end of the day. requeueAfter is the next boundary.
Builtin timed_window();

}  // namespace kubist::policies
