#include <kubist/release/experiment_assignment.hpp>
#include <kubist/release/experiment_loop.hpp>
#include <kubist/release/experiment_observation.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/words.hpp>

namespace kubist::experiment {

using engine::Action;
using util::cat;

namespace {

constexpr std::chrono::milliseconds k_soon{1000};
/// An evaluation that comes a little early reads all the same.
constexpr double k_early = 0.8;
constexpr const char* k_person = "a person";
constexpr const char* k_policy = "a policy";
constexpr const char* k_route_changed = "RouteChanged";

class Look {
 public:
  Look(const Plan& plan, const Progress& before, const Seen& seen,
       const std::optional<Reading>& reading, const std::optional<engine::Decision>& decision,
       Request request, Time now)
      : m_plan(plan),
        m_seen(seen),
        m_reading(reading),
        m_decision(decision),
        m_request(request),
        m_now(now) {
    m_tick.progress = before;
    if (progress().since == Time{}) {
      progress().since = now;
    }
  }

  Tick take() {
    // In this order: what ends an experiment comes before what moves it on.
    for (const auto step :
         {&Look::over, &Look::lost, &Look::asked, &Look::route_changed, &Look::go_on}) {
      if ((this->*step)()) {
        break;
      }
    }
    m_tick.look_again = look_again();
    return std::move(m_tick);
  }

 private:
  Progress& progress() { return m_tick.progress; }

  bool say(std::string reason, std::string message) {
    progress().reason = std::move(reason);
    progress().message = std::move(message);
    return true;
  }
  bool move_to(State state, std::string reason, std::string message) {
    progress().state = state;
    progress().since = m_now;
    if (state != State::paused) {
      progress().paused_by.clear();
    }
    return say(std::move(reason), std::move(message));
  }
  bool finish(std::string reason, std::string message) {
    return move_to(State::finishing, std::move(reason), std::move(message));
  }

  bool over() { return is_final(progress().state); }

  bool lost() {
    return !m_seen.there && progress().state != State::pending &&
           move_to(State::aborted, "RouteGone", cat("TrafficRoute/", m_plan.route, " is gone"));
  }

  bool asked() {
    const State state = progress().state;
    switch (m_request) {
      case Request::none:
        return false;
      case Request::pause:
        return done(state == State::running && pause(k_person, "PausedByRequest", "by a person"));
      case Request::resume:
        return done(state == State::paused && resume());
      case Request::abort:
        return done(state != State::finishing && abort());
    }
    return false;
  }
  bool done(bool meant_something) {
    m_tick.request_done = meant_something;
    return meant_something;
  }
  bool pause(const char* by, std::string reason, std::string message) {
    move_to(State::paused, std::move(reason), std::move(message));
    progress().paused_by = by;
    progress().last.clear();  // what comes meanwhile does not count
    return true;
  }
  bool resume() {
    progress().for_spec = m_seen.for_spec;
    return move_to(State::running, "Resumed", "resumed by a person");
  }
  bool abort() {
    progress().aborting = true;
    return progress().state == State::pending
               ? move_to(State::aborted, "AbortRequested", "aborted by a person")
               : finish("AbortRequested", "aborted by a person");
  }

  bool route_changed() {
    return progress().state == State::running && m_seen.for_spec != progress().for_spec &&
           pause(k_route_changed, k_route_changed,
                 cat("TrafficRoute/", m_plan.route,
                     " was edited; resume or abort the experiment, or undo the edit"));
  }

  bool go_on() {
    switch (progress().state) {
      case State::pending:
        return start();
      case State::running:
        return run();
      case State::finishing:
        return restore();
      default:
        return false;
    }
  }

  bool start() {
    if (!m_seen.there) {
      return say("NoSuchRoute", cat("there is no TrafficRoute ", m_plan.route));
    }
    if (!m_seen.held_by.empty()) {
      return say("RouteHeld", held());
    }
    if (!m_seen.settled) {
      return say("RouteNotReady", cat("TrafficRoute/", m_plan.route, " is not ready", why()));
    }
    if (m_decision && m_decision->action >= Action::pause) {
      return say(word("PausedByPolicy"), m_decision->told());
    }
    progress().for_spec = m_seen.for_spec;
    return move_to(State::running, "Started", "clients are assigned from now on");
  }

  bool run() {
    if (m_now - progress().started_at.value_or(progress().since) > m_plan.max_duration) {
      return finish("Limit", cat("nothing was proven within ", m_plan.max_duration.count(), " s",
                                 progress().message.empty() ? "" : ": ", progress().message));
    }
    // Two began at once: the other has it.
    if (!m_seen.held_by.empty() && !progress().started_at) {
      return move_to(State::pending, "RouteHeld", held());
    }
    if (!m_seen.assigned || !m_seen.settled) {
      return say("Applying", cat("the route does not assign clients yet", why()));
    }
    if (!progress().started_at) {
      progress().started_at = m_now;
    }
    return stopped() || !m_reading || take(*m_reading);
  }

  bool stopped() {
    if (!m_decision || m_decision->action < Action::pause) {
      return false;
    }
    if (m_decision->action == Action::pause) {
      return pause(k_policy, word("PausedByPolicy"), m_decision->told());
    }
    progress().aborting = true;
    return finish(word("PolicyRollback"), m_decision->told());
  }

  bool take(const Reading& reading) {
    progress().read_at = reading.at;
    if (reading.counters.empty()) {
      return say(reading.reason, reading.message);
    }
    progress().gathered = gather(m_plan, progress(), reading.counters);
    progress().last = reading.counters;
    progress().report = judge(m_plan, progress().gathered).report;
    return decide();
  }

  bool decide() {
    if (!m_decision) {
      return say("NoDecision", "no policy decided: name ABTest among its policies, or a judge");
    }
    if (m_decision->action == Action::advance) {
      return end();
    }
    auto shares = shares_of(m_plan, m_decision->shares);
    if (!shares) {
      return say(shares.error().reason, shares.error().message);
    }
    if (!shares->empty() && is_worth_moving(progress().shares, *shares)) {
      progress().shares = *std::move(shares);
    }
    return say(word("Held"), m_decision->told());
  }

  bool end() {
    const std::string& winner = m_decision->winner;
    if (!winner.empty() && !has_variant(m_plan, winner)) {
      return say("UnknownWinner", cat(m_decision->by, ": ", winner, " is none of its variants"));
    }
    progress().winner = winner;
    return finish(word(winner.empty() ? "NoDifference" : "Winner"), m_decision->told());
  }

  std::string word(const char* otherwise) const {
    return m_decision->reason.empty() ? otherwise : m_decision->reason;
  }

  bool restore() {
    if (m_seen.assigned || !m_seen.settled) {
      return true;  // why it ended stays
    }
    return move_to(progress().aborting ? State::aborted : State::finished, progress().reason,
                   progress().message);
  }

  std::string held() const {
    return cat(m_seen.held_by, " moves the weights of TrafficRoute/", m_plan.route,
               ": let it end, and have its weights in the route's spec");
  }
  std::string why() const { return m_seen.message.empty() ? "" : ": " + m_seen.message; }

  std::optional<std::chrono::milliseconds> look_again() {
    switch (progress().state) {
      case State::finished:
      case State::aborted:
      case State::paused:
        return std::nullopt;
      case State::finishing:
        return k_soon;
      case State::running:
        return progress().started_at ? std::chrono::milliseconds(m_plan.interval) : k_soon;
      default:
        return m_plan.interval;
    }
  }

  const Plan& m_plan;
  const Seen& m_seen;
  const std::optional<Reading>& m_reading;
  const std::optional<engine::Decision>& m_decision;
  const Request m_request;
  const Time m_now;
  Tick m_tick;
};

}  // namespace

Request read_request(std::string_view verb) {
  static constexpr util::Word<Request> k_verbs[] = {
      {Request::pause, "pause"}, {Request::resume, "resume"}, {Request::abort, "abort"}};
  return util::value_of(k_verbs, verb).value_or(Request::none);
}

bool reads(const Plan& plan, const Progress& before, const Seen& seen, Time now) {
  const bool assigned = before.state == State::running && seen.there && seen.assigned &&
                        seen.settled && seen.for_spec == before.for_spec;
  return assigned &&
         (!before.read_at || before.last.empty() ||
          now - *before.read_at >= k_early * std::chrono::duration<double>(plan.interval));
}

Tick tick(const Plan& plan, const Progress& before, const Seen& seen,
          const std::optional<Reading>& reading, const std::optional<engine::Decision>& decision,
          Request request, Time now) {
  return Look(plan, before, seen, reading, decision, request, now).take();
}

}  // namespace kubist::experiment
