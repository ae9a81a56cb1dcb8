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
    last = tick(m_plan, before, seen, asks ? reading : std::nullopt, request, now);
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

  Seen seen;
  Progress progress;
  Tick last;
  bool asks = false;
  Time now{std::chrono::seconds(1'000'000)};

 private:
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

TEST_CASE("experiment: an edited route pauses it, an aborted one goes back") {
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

}  // namespace kubist::experiment
