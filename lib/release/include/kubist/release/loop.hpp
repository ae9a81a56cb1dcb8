#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <kubist/engine/decision.hpp>
#include <kubist/release/plan.hpp>
#include <kubist/release/progress.hpp>

namespace kubist::release {

/// One route on one cluster, as it was last seen.
struct Member {
  std::string name;
  bool there = true;          ///< the TrafficRoute exists
  bool settled = false;       ///< it is Ready with the weights below, live
  std::optional<int> weight;  ///< percent of the canary by this release; nothing: its own weights
  bool changed = false;       ///< its routes were edited since this release moved them
  std::string message;        ///< why it is not settled
  int attempt = 0;            ///< of this release, that gave it its weight
  std::string cluster = {};   ///< its virtual cluster, where there are several
};

/// What an evaluation saw.
struct Seen {
  std::string target;         ///< what there is to release now; empty: cannot be told
  bool target_ready = false;  ///< it has ready endpoints
  std::string message;        ///< why not
  /// Which of its Deployments have fewer ready pods than they ask for; empty: none, or it has none.
  std::string missing_pods = {};
  std::vector<Member> members;
};

/// What a person asked for.
enum class Request { none, pause, resume, abort, promote, promote_full, retry };
/// "pause", "promote-full", ...; none for other words.
Request read_request(std::string_view verb);

/// What one evaluation leads to.
struct Tick {
  Progress progress;
  bool request_done = false;  ///< the request meant something here
  /// When to look again; nothing: only when something happens.
  std::optional<std::chrono::milliseconds> look_again;
};

/// One evaluation: pure, so that it can be simulated and tested over every state. `decision` of the
/// policies counts only while the present weight is observed on every member; nothing counts as
/// hold. `before` of a first evaluation is a default Progress.
///
/// - The first step begins when target and routes are ready and no policy says hold: nothing is
///   moved yet, so nothing counts as no objection, and no clock runs.
/// - The next step begins when every member has the present one, and the policies say advance: so
///   members are never more than one step apart. In an order of waves each wave of clusters needs
///   that advance before the next one gets the step; at 100 % each has its bake time.
/// - An advance waits for the target as a hold does while it is not ready or its Deployments have
///   fewer pods than they ask for: more requests than before need all of them.
/// - A step without an advance, and one that a member does not reach, ends after the hold limit:
///   rolled back with the policies' last reason (NotApplied for a member).
/// - Weights of its own that a release knows nothing of mean that its status was lost: it takes the
///   lowest of them over and waits for a person (StatusLost).
/// - RolledBack and Aborted come when every member is settled at its own weights.
Tick tick(const Plan& plan, const Progress& before, const Seen& seen,
          const std::optional<engine::Decision>& decision, Request request, Time now);

}  // namespace kubist::release
