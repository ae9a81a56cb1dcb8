#include <limits>

#include <doctest/doctest.h>

#include <kubist/policies/statistical.hpp>
#include <kubist/policies/statistical_state.hpp>
#include <kubist/policies/threshold.hpp>
#include <kubist/stats/sampling.hpp>

using namespace kubist;
using namespace kubist::policies;
using namespace std::chrono_literals;
using stats::Window;

namespace {

constexpr Window k_clean{{100, 0}, {900, 0}};

// One canary with its clock: looks every 30 s.
class Canary {
 public:
  explicit Canary(StatisticalParameters given = {}) : parameters(std::move(given)) {
    state = initial_state(parameters);
    for (std::size_t i = 0; i < state.series.size(); ++i) {
      for (int window = 0; window < 40; ++window) {
        observe_past(state, i, {1000, 10});
      }
    }
  }
  StatisticalDecision look(const std::vector<Window>& windows) {
    m_at_step += 30s;
    return decide(parameters, {step, weight, next_weight, m_at_step, windows}, state);
  }
  // The same window in all series.
  StatisticalDecision look(const Window& window) {
    return look(std::vector<Window>(state.series.size(), window));
  }
  StatisticalDecision until_decided(const Window& window) {
    StatisticalDecision decision;
    for (int i = 0; i < 200 && decision.verdict == Verdict::hold; ++i) {
      decision = look(window);
    }
    return decision;
  }
  void next_step(double now, double then) {
    step += 1;
    weight = now;
    next_weight = then;
    m_at_step = 0s;
  }

  StatisticalParameters parameters;
  StatisticalState state;
  std::size_t step = 0;
  double weight = 0.1;
  double next_weight = 0.25;

 private:
  std::chrono::seconds m_at_step{0};
};

}  // namespace

TEST_CASE("statistical: a version as good as stable is proven, not before its least windows") {
  Canary canary;
  const Window window{{2000, 20}, {18000, 180}};
  CHECK(canary.look(window).reason == reason::k_settling);
  CHECK(canary.look(window).reason == reason::k_too_few);
  CHECK(canary.look(window).reason == reason::k_too_few);
  const StatisticalDecision decision = canary.look(window);
  CHECK(decision.verdict == Verdict::advance);
  CHECK(decision.reason == reason::k_proven);
  CHECK(decision.evidence.allowed == doctest::Approx(0.04));
  CHECK(decision.evidence.step.canary == stats::Counts{6000, 60});
  CHECK(explain(canary.parameters, decision) ==
        "errors: canary 60 of 6000 (1 %), stable 540 of 54000 (1 %) at this step; an excess of 4 % "
        "is disproved");
}

TEST_CASE("statistical: what was seen at one step proves nothing at the next") {
  Canary canary;
  const Window window{{2000, 20}, {18000, 180}};
  CHECK(canary.until_decided(window).verdict == Verdict::advance);
  canary.next_step(0.25, 0.5);
  CHECK(canary.look(window).reason == reason::k_settling);
  const StatisticalDecision decision = canary.look(window);
  CHECK(decision.reason == reason::k_too_few);
  CHECK(decision.evidence.step.canary.n == 2000);
}

TEST_CASE("statistical: a worse version is rolled back, even before the least windows") {
  Canary canary;
  CHECK(canary.look(Window{{100, 50}, {900, 9}}).reason == reason::k_settling);
  const StatisticalDecision decision = canary.look(Window{{100, 50}, {900, 9}});
  CHECK(decision.verdict == Verdict::rollback);
  CHECK(decision.reason == reason::k_worse_than_stable);
  CHECK(decision.evidence.p_value < 1e-9);
}

TEST_CASE(
    "statistical: no traffic, too little and no decision hold, then roll back with that reason") {
  struct Case {
    Window window;
    std::string_view reason;
  };
  for (const auto& [window, reason] :
       {Case{{}, reason::k_no_traffic}, Case{{{0, 0}, {900, 9}}, reason::k_no_traffic},
        Case{{{0.5, 0}, {900, 9}}, reason::k_too_few},
        Case{{{10, 0}, {0, 0}}, reason::k_no_traffic},
        // Four points more than stable, of which four are allowed; 2000 of tolerance never abort.
        Case{{{20, 1}, {180, 2}}, reason::k_undecided}}) {
    CAPTURE(reason);
    Canary canary;
    canary.parameters.metrics[0].tolerance = 0.2;
    canary.look(window);
    const StatisticalDecision held = canary.look(window);
    CHECK(held.verdict == Verdict::hold);
    int looks = 2;
    StatisticalDecision decision = held;
    for (; decision.verdict == Verdict::hold && looks < 100; ++looks) {
      decision = canary.look(window);
    }
    CHECK(decision.verdict == Verdict::rollback);
    CHECK(decision.reason == reason);
    CHECK(looks == 60);
  }
}

TEST_CASE("statistical: at 100 % the canary bakes against stable's last known rate") {
  Canary good;
  good.weight = 1;
  const Window window{{1000, 10}, {0, 0}};
  StatisticalDecision decision;
  int looks = 0;
  do {
    decision = good.look(window);
    ++looks;
  } while (decision.verdict == Verdict::hold && looks < 100);
  CHECK(decision.verdict == Verdict::advance);
  CHECK(looks == 10);

  Canary bad;
  bad.weight = 1;
  bad.look(window);
  decision = bad.until_decided({{1000, 60}, {0, 0}});
  CHECK(decision.verdict == Verdict::rollback);
  CHECK(decision.reason == reason::k_budget_exceeded);

  Canary alone;
  alone.weight = 1;
  decision = alone.until_decided({});
  CHECK(decision.verdict == Verdict::rollback);
  CHECK(decision.reason == reason::k_no_traffic);
}

TEST_CASE("statistical: an absolute limit needs no stable, and says that it was exceeded") {
  StatisticalParameters parameters;
  parameters.metrics = {{.name = "slow", .limit = 0.05}};
  Canary good(parameters);
  CHECK(good.until_decided({{500, 10}, {0, 0}}).verdict == Verdict::advance);
  Canary bad(parameters);
  const StatisticalDecision decision = bad.until_decided({{500, 75}, {500, 75}});
  CHECK(decision.verdict == Verdict::rollback);
  CHECK(decision.reason == reason::k_budget_exceeded);
}

TEST_CASE(
    "statistical: one bad metric on one cluster rolls back and is named; all must be proven") {
  StatisticalParameters parameters;
  parameters.metrics = {{.name = "errors", .share = 0.5}, {.name = "slow", .share = 0.5}};
  parameters.clusters = 2;
  const Window fine{{500, 5}, {4500, 45}};
  Canary canary(parameters);
  canary.look(fine);
  StatisticalDecision decision;
  for (int i = 0; i < 20 && decision.verdict == Verdict::hold; ++i) {
    decision = canary.look({fine, fine, fine, {{500, 100}, {4500, 45}}});
  }
  CHECK(decision.reason == reason::k_worse_than_stable);
  CHECK(parameters.metrics[decision.evidence.metric].name == "slow");
  CHECK(decision.evidence.cluster == 1);

  Canary quiet(parameters);
  quiet.look(fine);
  for (int i = 0; i < 10; ++i) {
    decision = quiet.look({fine, fine, fine, {{0, 0}, {4500, 45}}});
    CHECK(decision.verdict == Verdict::hold);
  }
  CHECK(decision.reason == reason::k_no_traffic);
  CHECK(decision.evidence.cluster == 1);
}

TEST_CASE("statistical: bursts in the past make the same failures weigh less") {
  Canary calm;
  Canary bursty;
  for (int i = 0; i < 200; ++i) {
    observe_past(bursty.state, 0, {1000, i % 20 == 0 ? 200.0 : 0.0});
  }
  const Window window{{100, 6}, {900, 9}};
  StatisticalDecision of_calm;
  StatisticalDecision of_bursty;
  for (int i = 0; i < 4; ++i) {
    of_calm = calm.look(window);
    of_bursty = bursty.look(window);
  }
  CHECK(of_calm.evidence.correlation == 0);
  CHECK(of_bursty.evidence.correlation > 0.1);
  CHECK(of_bursty.evidence.log_e < of_calm.evidence.log_e / 2);
}

TEST_CASE("statistical: a guard that does not prove never advances and has no limit") {
  StatisticalParameters parameters;
  parameters.prove = false;
  Canary canary(parameters);
  for (int i = 0; i < 100; ++i) {
    CHECK(canary.look(k_clean).verdict == Verdict::hold);
  }
  CHECK(canary.until_decided({{100, 60}, {900, 9}}).verdict == Verdict::rollback);
}

TEST_CASE("statistical: written and read back at every look, the state decides the same") {
  StatisticalParameters parameters;
  parameters.metrics = {{.name = "errors", .share = 0.7}, {.name = "slow", .share = 0.3}};
  Canary kept(parameters);
  Canary written(parameters);
  stats::Random random(4);
  for (int i = 0; i < 60; ++i) {
    if (i % 15 == 14) {
      kept.next_step(0.25, 0.5);
      written.next_step(0.25, 0.5);
    }
    std::vector<Window> windows;
    for (int m = 0; m < 2; ++m) {
      windows.push_back({{50, random.binomial(50, 0.02)}, {450, random.binomial(450, 0.01)}});
    }
    const StatisticalDecision first = kept.look(windows);
    const StatisticalDecision second = written.look(windows);
    CHECK(first.verdict == second.verdict);
    CHECK(first.reason == second.reason);
    CHECK(second.evidence.log_e == doctest::Approx(first.evidence.log_e).epsilon(1e-4));
    CHECK(second.evidence.log_e <= first.evidence.log_e + 1e-12);
    const auto read =
        statistical_state(data::Json::parse(to_json(written.state).dump()), parameters);
    REQUIRE(read);
    written.state = *read;
  }
}

TEST_CASE("statistical: the largest state that passes the check fits 16 KiB") {
  StatisticalParameters parameters;
  parameters.metrics = {{.name = "errors", .share = 0.5}, {.name = "slow", .share = 0.5}};
  parameters.steps = 20;
  while (check_parameters(parameters)) {
    parameters.clusters += 1;
  }
  CHECK(check_parameters(parameters).error().message.find("16 KiB") != std::string::npos);
  parameters.clusters -= 1;
  CHECK(parameters.clusters >= 4);
  Canary canary(parameters);
  for (int i = 0; i < 200; ++i) {
    canary.step = static_cast<std::size_t>(i / 10);
    const double more = i % 7;
    canary.look(Window{{123457, 1234 + more}, {987643, 9876 + more}});
  }
  CHECK(canary.state.aborts[0].processes.size() == 10);
  CHECK(to_json(canary.state).dump().size() <= 16 * 1024);
}

TEST_CASE("statistical: a state with counts that no kubist wrote takes no more memory") {
  Canary canary;
  data::Json state = to_json(canary.state);
  state["step"] = 1'000'000'000'000'000;
  state["windows"] = std::numeric_limits<int>::max();
  const auto read = statistical_state(state, canary.parameters);
  REQUIRE(read);
  canary.state = *read;
  canary.step = canary.state.step;
  canary.look(k_clean);
  CHECK(canary.state.aborts[0].processes.size() <= canary.parameters.steps + 1);
}

TEST_CASE("statistical: a state of other parameters, or none, is refused") {
  const StatisticalParameters parameters;
  StatisticalParameters two = parameters;
  two.clusters = 2;
  const data::Json state = to_json(initial_state(parameters));
  CHECK(statistical_state(state, parameters));
  CHECK_FALSE(statistical_state(state, two));
  for (const char* text : {"null", "[]", "{}", R"({"series": [], "step": 0, "windows": 0})"}) {
    CHECK_FALSE(statistical_state(data::Json::parse(text), parameters));
  }
  for (const char* path : {"/step", "/series/0/stable", "/series/0/abort", "/series/0/proof/1"}) {
    data::Json broken = state;
    broken[data::Json::json_pointer(path)] = "x";
    CHECK_FALSE(statistical_state(broken, parameters));
  }
}

TEST_CASE("statistical: parameters that mean nothing are refused") {
  const auto refused = [](auto change) {
    StatisticalParameters parameters;
    change(parameters);
    return !check_parameters(parameters);
  };
  CHECK(check_parameters({}));
  CHECK(refused([](auto& p) { p.alpha = 0; }));
  CHECK(refused([](auto& p) { p.beta = 1; }));
  CHECK(refused([](auto& p) { p.budget = 1.5; }));
  CHECK(refused([](auto& p) { p.metrics[0].share = 0.9; }));
  CHECK(refused([](auto& p) { p.metrics[0].tolerance = -0.01; }));
  CHECK(refused([](auto& p) { p.metrics[0].limit = 0; }));
  CHECK(refused([](auto& p) { p.clusters = 0; }));
}

TEST_CASE("statistical: the requests that a good version needs are known beforehand") {
  const StatisticalParameters parameters;
  const double rate[] = {0.0005};
  const auto median = requests_to_leave(parameters, rate, 0.5, 1, 0.5);
  const auto most = requests_to_leave(parameters, rate, 0.5, 1, 0.95);
  REQUIRE(median);
  REQUIRE(most);
  // About ln(1 / beta) / margin at least.
  CHECK(*median > 300);
  CHECK(*median < 500);
  CHECK(*most > *median);
  CHECK(*most < 900);
  StatisticalParameters strict;
  strict.metrics = {{.name = "errors", .limit = 0.0001}};
  const double bad[] = {0.2};
  CHECK_FALSE(requests_to_leave(strict, bad, 0.5, 1, 0.5));
}

TEST_CASE("threshold: so many failed checks in all roll back; no request is a failed check") {
  ThresholdState state;
  const ThresholdParameters parameters{.minimum_success = 0.99, .failed_checks = 3};
  CHECK(decide(parameters, {100, 1}, state).reason == reason::k_passed);
  CHECK(decide(parameters, {100, 2}, state).reason == reason::k_check_failed);
  CHECK(decide(parameters, {100, 0}, state).verdict == Verdict::advance);
  CHECK(decide(parameters, {0, 0}, state).reason == reason::k_no_traffic);
  const ThresholdDecision last = decide(parameters, {20, 1}, state);
  CHECK(last.verdict == Verdict::rollback);
  CHECK(last.reason == reason::k_threshold_failed);
}
