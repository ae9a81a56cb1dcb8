#include <kubist/release/experiment_decision.hpp>
#include <kubist/release/experiment_observation.hpp>

#include "experiment_support.hpp"

namespace kubist::experiment {

using namespace kubist::testing;

namespace {

/// The world of an experiment: its route does what was asked one look later.
class Stage {
 public:
  explicit Stage(Plan given = plan()) : m_plan(std::move(given)) {
    seen.settled = true;
    seen.for_spec = "abc";
  }

  const Progress& look(std::optional<Reading> reading = std::nullopt,
                       Request request = Request::none) {
    // A round trip through the status at every look, as after a kill.
    const Progress before = read_progress(to_json(progress), m_plan);
    asks = reads(m_plan, before, seen, now);
    reading = asks ? std::move(reading) : std::nullopt;
    if (reading) {
      reading->at = now;
    }
    last = tick(m_plan, before, seen, reading, decision_of(before, reading), request, now);
    progress = last.progress;
    now += m_plan.interval;
    return progress;
  }
  const Progress& read(Totals control, Totals green) {
    return look(Reading{{{control, green}}, "", ""});
  }
  const Progress& ask(Request request) { return look(std::nullopt, request); }
  void start() {
    look();
    seen.assigned = true;
  }

  /// What its policies say; nothing: what the plan's test says.
  std::optional<engine::Decision> policies;
  Seen seen;
  Progress progress;
  Tick last;
  bool asks = false;
  Time now{std::chrono::seconds(1'000'000)};

 private:
  /// By what policies see, as ABTest does it.
  std::optional<engine::Decision> decision_of(const Progress& before,
                                              const std::optional<Reading>& reading) const {
    const auto totals = read_observation(observation(m_plan, before, reading), m_plan);
    return policies ? policies
           : totals ? std::optional(decide(m_plan, *totals, now))
                    : std::nullopt;
  }

  Plan m_plan;
};

}  // namespace

TEST_CASE("experiment: it begins when its route is ready and nobody else's") {
  Stage stage;
  stage.seen.there = false;
  CHECK(stage.look().reason == "NoSuchRoute");
  stage.seen.there = true;
  stage.seen.held_by = "CanaryRelease/web";
  CHECK(stage.look().reason == "RouteHeld");
  stage.seen.held_by.clear();
  stage.seen.settled = false;
  stage.seen.message = "no pod";
  CHECK(stage.look().message == "TrafficRoute/shop is not ready: no pod");
  CHECK(stage.progress.state == State::pending);
  stage.seen.settled = true;
  CHECK(stage.look().state == State::running);
  CHECK_FALSE(stage.progress.started_at);
  CHECK(stage.last.look_again == std::chrono::milliseconds(1000));
  CHECK(stage.look().reason == "Applying");
  CHECK_FALSE(stage.asks);
  // Another one began at the same look, and has the route.
  stage.seen.held_by = "Experiment/other";
  CHECK(stage.look().state == State::pending);
  CHECK(stage.progress.reason == "RouteHeld");
}

TEST_CASE("experiment: what was counted before it began does not count") {
  Stage stage;
  stage.start();
  CHECK(stage.read(rate(10'000, 10), rate(10'000, 9000)).reason == "TooFew");
  CHECK(stage.progress.started_at);
  CHECK(stage.read(rate(10'500, 60), rate(10'500, 9050)).reason == "Collecting");
  REQUIRE(stage.progress.gathered.size() == 1);
  CHECK(stage.progress.gathered[0][0] == rate(500, 50));
  CHECK(stage.progress.gathered[0][1] == rate(500, 50));
}

TEST_CASE("experiment: a counter that begins anew loses one window, not the experiment") {
  Stage stage;
  stage.start();
  stage.read(rate(0, 0), rate(0, 0));
  stage.read(rate(500, 50), rate(500, 50));
  stage.read(rate(600, 60), rate(30, 3));
  stage.read(rate(700, 70), rate(130, 13));
  CHECK(stage.progress.gathered[0][0] == rate(700, 70));
  CHECK(stage.progress.gathered[0][1] == rate(600, 60));
}

TEST_CASE(
    "experiment: with Thompson the shares follow what is read, and stay where it says little") {
  Plan adaptive = plan();
  adaptive.assignment = Assignment::thompson;
  adaptive.samples = 1e6;  // ends late
  Stage stage(adaptive);
  stage.start();
  stage.read(rate(0, 0), rate(0, 0));
  CHECK(stage.progress.shares.empty());
  stage.read(rate(100, 10), rate(100, 15));
  REQUIRE(stage.progress.shares.size() == 2);
  const auto before = stage.progress.shares;
  CHECK(before[1] > 70);
  stage.read(rate(101, 10), rate(101, 15));
  CHECK(stage.progress.shares == before);
  stage.read(rate(300, 60), rate(300, 40));
  CHECK(stage.progress.shares[0] > 80);
}

TEST_CASE("experiment: other variants or goals begin counting anew") {
  Plan other = plan();
  other.hash = "other";
  Stage stage;
  stage.start();
  stage.read(rate(0, 0), rate(0, 0));
  stage.read(rate(500, 50), rate(500, 50));
  CHECK(read_progress(to_json(stage.progress), plan()).gathered.size() == 1);
  CHECK(read_progress(to_json(stage.progress), other).gathered.empty());
}

TEST_CASE("experiment: totals that no values can have are not gone on with") {
  Stage stage;
  stage.start();
  stage.read(rate(0, 0), rate(0, 0));
  stage.read(rate(500, 50), rate(500, 50));
  data::Json status = to_json(stage.progress);
  CHECK(read_progress(status, plan()).gathered.size() == 1);
  for (const data::Json& forged :
       {data::Json{1e6, -1e9, 1}, data::Json{-1, 0, 0}, data::Json{1e300, 1, 1},
        data::Json{10, 11, 11}, data::Json{10, 1, -1}}) {
    status["cursor"]["gathered"][0][1] = forged;
    CHECK_MESSAGE(read_progress(status, plan()).gathered.empty(), forged.dump());
  }
  stage.read(rate(1e200, 1e200), rate(500, 50));  // of a source
  CHECK(stage.progress.gathered[0][0] == rate(500, 50));
}

TEST_CASE("experiment: a status that does not say why it stands is said to be so") {
  for (const char* state : {"Aborted", "Paused", "Finishing"}) {
    CHECK(read_progress({{"state", state}}, plan()).message == "its status does not say why");
  }
  CHECK(read_progress({{"state", "Pending"}}, plan()).message.empty());
}

TEST_CASE("experiment: a winner ends it once the route has its own weights again") {
  Stage stage;
  stage.start();
  stage.read(rate(0, 0), rate(0, 0));
  CHECK(stage.read(rate(5000, 500), rate(5000, 750)).state == State::finishing);
  CHECK(stage.progress.winner == "green");
  CHECK(stage.look().state == State::finishing);
  stage.seen.assigned = false;
  CHECK(stage.look().state == State::finished);
  CHECK(stage.progress.reason == "Winner");
  CHECK_FALSE(stage.last.look_again);
  // Final: nothing changes it any more.
  const data::Json before = to_json(read_progress(to_json(stage.progress), plan()));
  stage.seen.there = false;
  stage.ask(Request::abort);
  CHECK_FALSE(stage.last.request_done);
  CHECK(to_json(read_progress(to_json(stage.progress), plan())) == before);
}

TEST_CASE("experiment: without readings it says why, and ends by its limit") {
  Plan brief = plan();
  brief.max_duration = brief.interval * 3;
  Stage stage(brief);
  stage.start();
  for (int i = 0; i < 4; ++i) {
    CHECK(stage.look(Reading{{}, "NoData", "orders of green: no series"}).reason == "NoData");
    CHECK(stage.asks);
  }
  CHECK(stage.look().state == State::finishing);
  CHECK(stage.progress.reason == "Limit");
  CHECK(stage.progress.winner.empty());
  CHECK(stage.progress.message.find("no series") != std::string::npos);
}

TEST_CASE("experiment: while it is paused nothing counts") {
  Stage stage;
  stage.start();
  stage.read(rate(0, 0), rate(0, 0));
  stage.read(rate(200, 20), rate(200, 20));
  CHECK(stage.ask(Request::pause).state == State::paused);
  CHECK(stage.last.request_done);
  CHECK_FALSE(stage.last.look_again);
  CHECK_FALSE((stage.look(), stage.asks));
  stage.ask(Request::resume);
  CHECK(stage.progress.state == State::running);
  stage.read(rate(900, 900), rate(900, 0));
  stage.read(rate(1000, 910), rate(1000, 10));
  CHECK(stage.progress.gathered[0][0] == rate(300, 30));
  CHECK(stage.progress.gathered[0][1] == rate(300, 30));
}

TEST_CASE("experiment: an edited route pauses it, an aborted one rolls back") {
  Stage stage;
  stage.start();
  stage.read(rate(0, 0), rate(0, 0));
  stage.seen.for_spec = "def";
  CHECK(stage.look().reason == "RouteChanged");
  CHECK(stage.look().state == State::paused);
  CHECK(stage.ask(Request::resume).state == State::running);
  CHECK(stage.look().state == State::running);
  CHECK(stage.ask(Request::abort).state == State::finishing);
  stage.seen.assigned = false;
  CHECK(stage.look().state == State::aborted);
  Stage fresh;
  CHECK(fresh.ask(Request::abort).state == State::aborted);
}

TEST_CASE("experiment: its policies end it, with a winner, without one, or as aborted") {
  Stage named;
  named.start();
  named.policies =
      engine::Decision{engine::Action::advance, {}, "Enough", "7 days", "mine", "green"};
  named.look();
  CHECK(named.progress.state == State::running);  // an advance counts after a reading
  CHECK(named.read(rate(0, 0), rate(0, 0)).state == State::finishing);
  CHECK(named.progress.winner == "green");
  CHECK(named.progress.reason == "Enough");
  CHECK(named.progress.message == "mine: 7 days");

  Stage none;
  none.start();
  none.policies = engine::Decision{engine::Action::advance};
  CHECK(none.read(rate(0, 0), rate(0, 0)).state == State::finishing);
  CHECK(none.progress.winner.empty());
  CHECK(none.progress.reason == "NoDifference");

  Stage unknown;
  unknown.start();
  unknown.policies = engine::Decision{engine::Action::advance, {}, "", "", "mine", "purple"};
  CHECK(unknown.read(rate(0, 0), rate(0, 0)).reason == "UnknownWinner");
  CHECK(unknown.progress.state == State::running);
  CHECK(unknown.progress.message == "mine: purple is none of its variants");

  Stage guarded;
  guarded.start();
  guarded.policies =
      engine::Decision{engine::Action::rollback, {}, "TooManyErrors", "9 %", "guard"};
  CHECK(guarded.look().state == State::finishing);  // without a reading, too
  guarded.seen.assigned = false;
  CHECK(guarded.look().state == State::aborted);
  CHECK(guarded.progress.reason == "TooManyErrors");

  Stage refused;
  refused.policies = engine::Decision{engine::Action::pause, {}, "NotOnFridays", "", "guard"};
  CHECK(refused.look().state == State::pending);
  CHECK(refused.progress.reason == "NotOnFridays");
  refused.policies.reset();
  CHECK(refused.look().state == State::running);

  Stage paused;
  paused.start();
  paused.policies = engine::Decision{engine::Action::pause, {}, "", "ask Ann", "guard"};
  CHECK(paused.look().state == State::paused);
  CHECK(paused.progress.paused_by == "a policy");
  paused.policies = engine::Decision{};
  CHECK(paused.ask(Request::resume).state == State::running);
}

TEST_CASE("experiment: its policies assign clients only as the plan lets them") {
  Plan plan_of = plan();
  plan_of.assignment = Assignment::policies;
  Stage stage(plan_of);
  stage.start();
  stage.policies = engine::Decision{};
  stage.policies->by = "bandit";
  const auto given = [&](std::map<std::string, int> shares) {
    stage.policies->shares = std::move(shares);
    return stage.read(rate(0, 0), rate(0, 0)).shares;
  };
  CHECK(given({{"control", 30}, {"green", 70}}) == std::vector<int>{30, 70});
  CHECK(given({}) == std::vector<int>{30, 70});
  CHECK(stage.progress.reason == "Held");
  using Shares = std::map<std::string, int>;
  for (const Shares& bad :
       {Shares{{"control", 30}, {"green", 60}}, Shares{{"control", 100}},
        Shares{{"control", 98}, {"green", 2}}, Shares{{"control", 30}, {"purple", 70}},
        Shares{{"control", 40}, {"green", 60}, {"purple", 0}}}) {
    CHECK(given(bad) == std::vector<int>{30, 70});
    CHECK(stage.progress.reason == "SharesRefused");
    CHECK(stage.progress.message.find("share") != std::string::npos);
  }
  const data::Json assignment = to_json(stage.progress)["assignment"];
  CHECK(assignment == data::Json{{"shares", {30, 70}}});

  Stage fixed;
  fixed.start();
  fixed.policies = engine::Decision{};
  fixed.policies->shares = {{"control", 30}, {"green", 70}};
  CHECK(fixed.read(rate(0, 0), rate(0, 0)).reason == "SharesRefused");
  CHECK(fixed.progress.message.find("make it Policies") != std::string::npos);
}

TEST_CASE("experiment: where no policy decides, it says so") {
  Stage stage;
  stage.start();
  const auto last =
      tick(plan(), stage.progress, stage.seen, Reading{{{rate(0, 0), rate(0, 0)}}, "", ""},
           std::nullopt, Request::none, stage.now);
  CHECK(last.progress.reason == "NoDecision");
}

TEST_CASE("experiment: what policies see is what was gathered, this reading's among it") {
  Stage stage;
  stage.start();
  stage.read(rate(100, 10), rate(100, 20));
  const data::Json seen =
      observation(plan(), stage.progress, Reading{{{rate(300, 40), rate(200, 50)}}, "", ""});
  CHECK(seen["read"] == true);
  CHECK(seen["goals"][0]["name"] == "orders");
  CHECK(seen["goals"][0]["kind"] == "Conversion");
  const data::Json& variants = seen["goals"][0]["variants"];
  CHECK(variants[0] == data::Json{{"name", "control"},
                                  {"samples", 200.0},
                                  {"sum", 30.0},
                                  {"squares", 30.0},
                                  {"value", 0.15}});
  CHECK(variants[1]["value"] == 0.3);
  const data::Json unread = observation(plan(), stage.progress, Reading{{}, "NoData", "no series"});
  CHECK(unread["read"] == false);
  CHECK(unread["reason"] == "NoData");
  CHECK_FALSE(read_observation(unread, plan()));
}

}  // namespace kubist::experiment
