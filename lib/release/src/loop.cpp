#include <algorithm>

#include <kubist/release/loop.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/words.hpp>

#include "machine.hpp"

namespace kubist::release {

using engine::Action;
using util::cat;

namespace {

constexpr std::chrono::milliseconds k_soon{1000};
constexpr const char* k_person = "a person";
constexpr const char* k_route_changed = "RouteChanged";
constexpr const char* k_status_lost = "StatusLost";

class Look : private Machine {
 public:
  Look(const Plan& plan, const Progress& before, const Seen& seen,
       const std::optional<engine::Decision>& decision, Request request, Time now)
      : Machine(plan, before, seen, now), m_decision(decision), m_request(request) {}

  Tick take() {
    observe();
    // In this order: what ends a release comes before what moves it on.
    for (const auto step : {&Look::lost, &Look::status_lost, &Look::asked, &Look::new_target,
                            &Look::restored, &Look::verdict, &Look::route_changed, &Look::go_on}) {
      if ((this->*step)()) {
        break;
      }
    }
    const auto again = look_again();
    return {std::move(progress()), m_request_done, again};
  }

 private:
  void observe() {
    if (!progress().observed_at && is_moved(progress()) && all_as_wanted()) {
      progress().observed_at = m_now;
    }
  }

  bool lost() {
    if (is_final(state())) {
      return false;
    }
    for (const Member& member : m_seen.members) {
      if (!member.there && (state() != State::pending || is_moved(progress()))) {
        return fire(Event::lost, "RouteGone",
                    cat("TrafficRoute/", member.name, " is gone; it was last seen at ",
                        progress().weight, " % for ", m_plan.canary));
      }
    }
    return false;
  }

  bool status_lost() {
    if (state() != State::pending) {
      return false;
    }
    std::optional<int> lowest;
    int attempt = progress().attempt;
    for (const Member& member : m_seen.members) {
      // Those of an attempt before are what a succeeded release left.
      if (member.weight && member.attempt >= progress().attempt) {
        lowest = std::min(lowest.value_or(100), *member.weight);
        attempt = std::max(attempt, member.attempt);
      }
    }
    if (!lowest ||
        !pause(k_status_lost, k_status_lost,
               cat("its status was lost; ", *lowest, " % are live: resume, promote or abort it"))) {
      return false;
    }
    progress().attempt = attempt;
    progress().weight = *lowest;
    progress().at_zero = *lowest == 0;
    progress().wave = progress().waves - 1;
    return true;
  }

  bool asked() {
    switch (m_request) {
      case Request::none:
        return false;
      case Request::pause:
        return done(pause(k_person, "PausedByRequest", "paused by a person"));
      case Request::resume:
        return done(fire(Event::resume, "Resumed", "resumed by a person"));
      case Request::abort:
        if (!fire(Event::abort, "AbortRequested", "aborted by a person")) {
          return false;
        }
        progress().aborting = true;
        return done(true);
      case Request::promote:
      case Request::promote_full:
        return done(promote(m_request == Request::promote_full));
      case Request::retry:
        return done(fire(Event::retry, "Retried", "tried again by a person"));
    }
    return false;
  }
  bool done(bool meant_something) {
    m_request_done = meant_something;
    return meant_something;
  }

  bool promote(bool full) {
    if (state() == State::paused) {
      fire(Event::resume, "", "");
    }
    if (!progress().observed_at && !full) {
      return false;  // the present step is still on its way
    }
    constexpr const char* k_reason = "PromotedByRequest";
    constexpr const char* k_message = "promoted by a person";
    if (!full && has_more_waves()) {
      return next_wave(k_reason, k_message);
    }
    const int weight = full ? 100 : next_weight(m_plan, progress().weight);
    const bool moved = advance_to(weight, k_reason, k_message);
    progress().wave = moved && full ? progress().waves - 1 : progress().wave;
    return moved;
  }

  bool new_target() {
    if (m_seen.target.empty() || m_seen.target == progress().target) {
      return false;
    }
    if (is_final(state())) {
      return fire(Event::new_target, "NewTarget", "there is another version to release");
    }
    if (state() == State::pending) {
      progress().target = m_seen.target;  // nothing was moved for the previous one
      return false;
    }
    if (!fire(Event::rollback, "NewTarget", "the version to release was changed meanwhile")) {
      return false;
    }
    progress().replacing = true;
    return true;
  }

  bool restored() {
    if (state() != State::rolling_back) {
      return false;
    }
    if (!all_as_wanted()) {
      progress().message = cat("rolling back", behind());
      return true;
    }
    const std::string reason = progress().reason;
    const std::string message = progress().message;
    if (progress().replacing) {
      return fire(Event::replaced, reason, "the next attempt begins");
    }
    return fire(progress().aborting ? Event::given_up : Event::restored, reason,
                "every route has its own weights again");
  }

  // Stays armed in every state that is not final, paused ones too.
  bool verdict() {
    if (!m_decision || m_decision->action != Action::rollback || state() == State::pending) {
      return false;
    }
    return fire(Event::rollback, word(m_decision->reason, "PolicyRollback"), told());
  }

  bool route_changed() {
    const auto changed = std::find_if(m_seen.members.begin(), m_seen.members.end(),
                                      [](const Member& member) { return member.changed; });
    if (changed == m_seen.members.end() || !is_moved(progress())) {
      return false;
    }
    return pause(k_route_changed, k_route_changed,
                 cat("TrafficRoute/", changed->name,
                     " was edited while its weights were moved; resume, abort or undo the edit"));
  }

  bool go_on() {
    switch (state()) {
      case State::pending:
        return start();
      case State::progressing:
      case State::waiting:
        return is_moved(progress()) ? decide() : start();
      case State::paused:
        return unpause();
      case State::promoting:
        return bake();
      default:
        return false;
    }
  }

  bool start() {
    if (!m_seen.target_ready) {
      return say("TargetNotReady", m_seen.message);
    }
    if (!all_as_wanted()) {
      return say("RouteNotReady", cat("the routes are not in order", behind()));
    }
    if (m_decision && m_decision->action != Action::advance) {
      return say(word(m_decision->reason, "Held"), told());
    }
    // Resumed before its first step, it is progressing already.
    if (state() == State::pending &&
        !fire(Event::target_ready, "Started", cat("version ", m_plan.canary, " is ready"))) {
      return false;
    }
    move_to(m_plan.weights.front());
    progress().at_zero = progress().weight == 0;
    if (progress().weight == 100) {
      fire(Event::promoted, "Started", "in one step");
    }
    return true;
  }

  bool decide() {
    if (!progress().observed_at) {
      const std::string where = behind();
      if (m_now - progress().since > m_plan.hold_limit) {
        return fire(Event::rollback, "NotApplied", cat("the weight was not reached", where));
      }
      return say("Applying", cat("setting ", progress().weight, " %", where));
    }
    if (progress().weight == 100) {  // resumed at the end
      progress().since = m_now;
      return fire(Event::promoted, "Promoted", "at 100 %");
    }
    const Action action = m_decision ? m_decision->action : Action::hold;
    if (action == Action::advance && (!m_seen.target_ready || !m_seen.missing_pods.empty())) {
      return stay("TargetNotReady", m_seen.target_ready ? m_seen.missing_pods : m_seen.message);
    }
    if (action == Action::advance && has_more_waves()) {
      return next_wave(word(m_decision->reason, "Advanced"), told());
    }
    if (action == Action::advance) {
      const int next = m_decision->weight.value_or(next_weight(m_plan, progress().weight));
      if (next > progress().weight) {
        return advance_to(next, word(m_decision->reason, "Advanced"), told());
      }
    }
    if (action == Action::pause) {
      return pause(m_decision->by, word(m_decision->reason, "PausedByPolicy"), told());
    }
    return stay(word(m_decision ? m_decision->reason : "", "NoDecision"), told());
  }

  bool stay(const std::string& reason, const std::string& message) {
    if (m_now - *progress().observed_at > m_plan.hold_limit) {
      return fire(Event::rollback, reason, cat("no decision within the hold limit: ", message));
    }
    return fire(Event::held, reason, message) || say(reason, message);
  }

  bool unpause() {
    const std::string& by = progress().paused_by;
    const bool by_policy = by != k_person && by != k_route_changed && by != k_status_lost;
    if (by_policy && m_decision && m_decision->action != Action::pause) {
      return fire(Event::resume, "Resumed", cat(progress().paused_by, " lets it go on"));
    }
    return false;
  }

  bool bake() {
    if (!progress().observed_at) {
      return say("Applying", cat("setting 100 %", behind()));
    }
    if (m_now - *progress().observed_at < m_plan.bake) {
      return say("Baking", "at 100 %, ready to be rolled back");
    }
    if (has_more_waves()) {
      return next_wave("Baked", "the clusters before have all of it");
    }
    return fire(Event::baked, "Promoted", cat("version ", m_plan.canary, " has all the traffic"));
  }

  std::string told() const { return m_decision ? m_decision->told() : "no policy decided"; }
  static std::string word(const std::string& reason, const char* fallback) {
    return reason.empty() ? fallback : reason;
  }

  std::optional<std::chrono::milliseconds> look_again() {
    if (is_final(state())) {
      return std::nullopt;
    }
    const bool on_its_way =
        state() == State::rolling_back || (state() != State::pending && !progress().observed_at);
    return on_its_way ? k_soon : std::chrono::milliseconds(m_plan.interval);
  }

  const std::optional<engine::Decision>& m_decision;
  const Request m_request;
  bool m_request_done = false;
};

}  // namespace

Request read_request(std::string_view verb) {
  static constexpr util::Word<Request> k_verbs[] = {{Request::pause, "pause"},
                                                    {Request::resume, "resume"},
                                                    {Request::abort, "abort"},
                                                    {Request::promote, "promote"},
                                                    {Request::promote_full, "promote-full"},
                                                    {Request::retry, "retry"}};
  return util::value_of(k_verbs, verb).value_or(Request::none);
}

Tick tick(const Plan& plan, const Progress& before, const Seen& seen,
          const std::optional<engine::Decision>& decision, Request request, Time now) {
  return Look(plan, before, seen, decision, request, now).take();
}

}  // namespace kubist::release
