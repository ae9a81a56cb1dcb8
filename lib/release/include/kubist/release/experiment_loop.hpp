#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/engine/decision.hpp>
#include <kubist/release/experiment_progress.hpp>

namespace kubist::experiment {

/// The route as it was last seen.
struct Seen {
  bool there = true;      ///< the TrafficRoute exists
  bool settled = false;   ///< it is Ready, live
  bool assigned = false;  ///< by this experiment's split
  std::string held_by;    ///< what else moves its weights: "CanaryRelease/web"; empty: nothing
  std::string for_spec;   ///< a hash of its rules
  std::string message;    ///< why it is not settled
};

/// The goals' counters, [goal][variant]; where one of them could not be read there are none, and a
/// reason.
struct Reading {
  std::vector<std::vector<Totals>> counters;
  std::string reason, message;
  Time at;  ///< when they were read
};

/// What a person asked for.
enum class Request { none, pause, resume, abort };
/// "pause", "resume", "abort"; none for other words.
Request read_request(std::string_view verb);

/// Shall the goals be read at this evaluation? Not before clients are assigned, and once an
/// interval.
bool reads(const Plan& plan, const Progress& before, const Seen& seen, Time now);

/// What one evaluation leads to.
struct Tick {
  Progress progress;
  bool request_done = false;  ///< the request meant something here
  /// When to look again; nothing: only when something happens.
  std::optional<std::chrono::milliseconds> look_again;
};

/// One evaluation: pure. `reading` is there where reads() said so.
///
/// - It begins when its route is Ready and nobody else's. The first reading is where counting
///   begins.
/// - After a reading `decision`, that of its policies, counts: an advance ends it, with the winner
///   that it names or none; a hold goes on, and may change the shares of the clients to come.
/// - A pause or rollback of its policies counts at each evaluation: it does not begin; while it
///   runs it stops until a person resumes it, or it is aborted.
/// - It ends also when maxDuration is over (Limit), and then waits until the route has its own
///   weights again.
/// - An edit of the route's rules pauses it (RouteChanged) until a person resumes it.
/// - An edit of variants or goals begins counting again.
/// - Without a reading nothing is decided; the reason is kept.
Tick tick(const Plan& plan, const Progress& before, const Seen& seen,
          const std::optional<Reading>& reading, const std::optional<engine::Decision>& decision,
          Request request, Time now);

}  // namespace kubist::experiment
