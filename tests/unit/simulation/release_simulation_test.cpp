#include <algorithm>
#include <limits>

#include <doctest/doctest.h>

#include <kubist/policies/builtins.hpp>
#include <kubist/simulation/release_simulation.hpp>

using namespace kubist;
using namespace kubist::simulation;
using data::Json;

namespace {

const engine::PolicyCatalog& builtin_catalog() {
  static const engine::PolicyCatalog catalog = [] {
    engine::PolicyCatalog filled;
    policies::add_builtins(filled);
    return filled;
  }();
  return catalog;
}

/// A release of these policies at 20 requests a second; rates of failures.
ReleaseSimulation simulation_of(Json policies, double stable, double canary, int runs = 40) {
  const Json release{{"apiVersion", "kubist.io/v1alpha1"},
                     {"kind", "CanaryRelease"},
                     {"metadata", {{"name", "shop"}, {"namespace", "team"}}},
                     {"spec",
                      {{"destination", "web"},
                       {"stable", "v1"},
                       {"canary", "v2"},
                       {"routes", {"shop"}},
                       {"policies", std::move(policies)}}}};
  ReleaseSimulation simulation;
  simulation.release = std::make_shared<const Json>(release);
  simulation.catalog = &builtin_catalog();
  TrafficModel model;
  model.stable_rate = stable;
  model.canary_rate = canary;
  simulation.traffic = make_traffic(model, simulation.longest);
  simulation.runs = runs;
  return simulation;
}

ReleaseSimulation with_spec(ReleaseSimulation simulation, const char* field, Json value) {
  Json release = *simulation.release;
  release["spec"][field] = std::move(value);
  simulation.release = std::make_shared<const Json>(std::move(release));
  return simulation;
}

SimulationReport report_of(const ReleaseSimulation& simulation) {
  const auto runs = simulate(simulation, {});
  REQUIRE_MESSAGE(runs, (runs ? "" : runs.error().to_string()));
  return summarize({simulation.traffic->stable_rate(), simulation.traffic->canary_rate()}, *runs);
}

/// The share of runs that ended for this reason.
double share_of(const SimulationReport& report, Ending ending, std::string_view reason) {
  for (const EndingShare& each : report.reasons) {
    if (each.ending == ending && each.reason == reason) {
      return each.share;
    }
  }
  return 0;
}

Json policy(const char* name, Json parameters = Json::object()) {
  return {{"name", name}, {"parameters", std::move(parameters)}};
}

}  // namespace

TEST_CASE("release simulation: the default policy promotes good versions and takes bad ones back") {
  const auto good = report_of(simulation_of({policy("Statistical")}, 0.01, 0.01));
  CHECK(good.promoted_share > 0.9);
  CHECK(good.false_abort_rate.value() <= 0.1);
  CHECK(share_of(good, Ending::promoted, "Promoted") == good.promoted_share);
  // 5 minutes of bake, and a window at each step at the least.
  CHECK(good.seconds_to_decision.median.value() > 300 + 4 * 60);
  const auto bad = report_of(simulation_of({policy("Statistical")}, 0.01, 0.06));
  CHECK(share_of(bad, Ending::aborted, "WorseThanStable") > 0.9);
  CHECK(bad.false_promotion_rate.value() == 0);
  CHECK(bad.canary_requests_to_abort.median.value() > 0);
}

TEST_CASE("release simulation: each policy ends as it does in a real release") {
  const Json success{
      {"metrics", {{{"name", "request-success-rate"}, {"thresholdRange", {{"min", 97}}}}}}};
  const auto metric = report_of(simulation_of({policy("Metric", success)}, 0.001, 0.2));
  CHECK(metric.aborted_share == 1);
  CHECK(metric.reasons.front().reason == "ThresholdFailed");

  const Json better{{"expression", "canary.errorRate <= stable.errorRate + 0.02"}};
  CHECK(report_of(simulation_of({policy("Expression", better)}, 0, 0)).promoted_share == 1);

  const Json steps{{"steps", {{{"setWeight", 50}}, {{"pause", {{"duration", "2m"}}}}}}};
  const auto paused = report_of(simulation_of({policy("Steps", steps)}, 0, 0, 5));
  CHECK(paused.promoted_share == 1);
  CHECK(paused.seconds_to_decision.median.value() > 120 + 300);  // and the bake

  for (const char* name : {"BlueGreen", "Timed", "Health"}) {
    CAPTURE(name);
    const auto blind = report_of(simulation_of({policy(name)}, 0, 1, 5));
    CHECK(blind.promoted_share == 1);
    CHECK(blind.false_promotion_rate.value() == 1);
  }
}

TEST_CASE("release simulation: without a person's yes, outside its windows, or without traffic") {
  auto waits = simulation_of({policy("Approval", {{"before", {50}}}), policy("Timed")}, 0, 0, 5);
  CHECK(share_of(report_of(waits), Ending::undecided, "ApprovalNeeded") == 1);
  waits.approved = true;
  CHECK(report_of(waits).promoted_share == 1);

  const Json nights{{"windows", {{{"from", "22:00"}, {"to", "04:00"}}}}};
  auto closed = simulation_of({policy("Timed"), policy("TimedWindow", nights)}, 0, 0, 5);
  closed.longest = std::chrono::seconds(1200);
  const auto noon = report_of(closed);
  CHECK(noon.undecided_share == 1);  // it never begins
  closed.begins += std::chrono::hours(11);
  CHECK(report_of(closed).promoted_share == 1);

  auto silent = simulation_of({policy("Statistical")}, 0.01, 0.01, 5);
  TrafficModel model;
  model.requests_per_second = 1e-9;
  silent.traffic = make_traffic(model, silent.longest);
  CHECK(share_of(report_of(silent), Ending::undecided, "NoTraffic") == 1);
}

TEST_CASE(
    "release simulation: a chain is as cautious as its most cautious policy, each with its state") {
  const Json strict{
      {"metrics", {{{"name", "request-success-rate"}, {"thresholdRange", {{"min", 99.9}}}}}},
      {"failureLimit", 3}};
  const auto report =
      report_of(simulation_of({policy("Statistical"), policy("Metric", strict)}, 0.01, 0.01));
  CHECK(share_of(report, Ending::aborted, "ThresholdFailed") > 0.9);
}

TEST_CASE("release simulation: weights and times are the release's own") {
  auto simulation = simulation_of({policy("Timed", {{"step", "1m"}})}, 0, 0, 3);
  simulation = with_spec(simulation, "weights", {20});
  simulation = with_spec(simulation, "bake", "10m");
  const auto slow = report_of(simulation);
  CHECK(slow.promoted_share == 1);
  CHECK(slow.seconds_to_decision.median.value() > 660);
  CHECK(slow.seconds_to_decision.median.value() < 760);
  simulation.longest = std::chrono::seconds(300);
  CHECK(share_of(report_of(simulation), Ending::undecided, "Baking") == 1);
}

TEST_CASE("release simulation: the same seed gives the same runs on any number of threads") {
  auto simulation = simulation_of({policy("Statistical")}, 0.01, 0.03, 70);
  simulation.longest = std::chrono::seconds(240);
  const auto runs = [&](unsigned threads) {
    simulation.threads = threads;
    return *simulate(simulation, {});
  };
  const auto same = [](const std::vector<SimulatedRun>& a, const std::vector<SimulatedRun>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
      return x.ending == y.ending && x.reason == y.reason && x.seconds == y.seconds &&
             x.canary_requests == y.canary_requests && x.extra_failures == y.extra_failures;
    });
  };
  const auto first = runs(1);
  CHECK(same(first, runs(3)));
  simulation.seed += 1;
  CHECK_FALSE(same(first, runs(2)));
}

TEST_CASE("release simulation: what cannot be simulated is an error that says why") {
  const auto error_of = [](Json policies) {
    const auto runs = simulate(simulation_of(std::move(policies), 0, 0, 3), {});
    REQUIRE_FALSE(runs);
    return runs.error().to_string();
  };
  CHECK(error_of({policy("Metrics")}).find("unknown policy") != std::string::npos);
  CHECK(error_of({policy("Metric")}).find("metrics") != std::string::npos);
  const Json asks{
      {"metrics",
       {{{"name", "depth"}, {"query", "sum(queue)"}, {"thresholdRange", {{"max", 1}}}}}}};
  CHECK(error_of({policy("Metric", asks)}).find("asks for sum(queue)") != std::string::npos);
}

namespace {

/// Half-minute windows of both versions' counts.
std::vector<RecordedWindow> recording_of(int windows, SimulatedCounts stable,
                                         SimulatedCounts canary) {
  std::vector<RecordedWindow> recording;
  for (int i = 0; i < windows; ++i) {
    recording.push_back({30.0 * i, 30.0 * (i + 1), stable, canary});
  }
  return recording;
}

}  // namespace

TEST_CASE("recorded traffic: as many requests as there were, shared by the simulated weight") {
  const auto recording =
      recording_of(40, {900, 9, {{100, 450}, {250, 900}}}, {100, 5, {{100, 10}, {250, 100}}});
  const auto traffic = make_recorded_traffic(recording);
  CHECK(traffic->stable_rate() == doctest::Approx(0.01));
  CHECK(traffic->canary_rate() == doctest::Approx(0.05));
  CHECK(traffic->requests_per_second() == doctest::Approx(1000.0 / 30));
  stats::Random random(1);
  SimulatedCounts stable, canary;
  for (int i = 0; i < 40; ++i) {
    const std::chrono::seconds from(30 * i);
    const auto answers = traffic->draw(random, {from, from + std::chrono::seconds(30), 0.5, 0});
    REQUIRE(answers);
    CHECK(answers->stable.requests + answers->canary.requests == 1000);
    stable += answers->stable;
    canary += answers->canary;
  }
  CHECK(canary.requests == doctest::Approx(20000).epsilon(0.03));
  CHECK(canary.errors / canary.requests == doctest::Approx(0.05).epsilon(0.2));
  CHECK(stable.errors / stable.requests == doctest::Approx(0.01).epsilon(0.3));
  REQUIRE(canary.latency.size() == 2);
  CHECK(canary.latency[0].count / canary.requests == doctest::Approx(0.1).epsilon(0.1));
  CHECK(canary.latency[1].count == canary.requests);
  CHECK(stable.latency[0].count / stable.requests == doctest::Approx(0.5).epsilon(0.05));
  // Beyond the last window nothing is known.
  using std::chrono::seconds;
  CHECK_FALSE(traffic->draw(random, {seconds(1190), seconds(1201), 0.5, 0}));
}

TEST_CASE(
    "recorded traffic: a bad quarter of an hour stays where it was, a handful of requests is no "
    "burst") {
  auto recording = recording_of(40, {1000, 10, {}}, {1000, 10, {}});
  for (int i = 20; i < 30; ++i) {
    recording[static_cast<std::size_t>(i)].canary.errors = 300;
  }
  stats::Random random(1);
  const auto errors_at = [&](const Traffic& traffic, int window) {
    const std::chrono::seconds from(30 * window);
    return traffic.draw(random, {from, from + std::chrono::seconds(30), 0.5, 0})->canary.errors;
  };
  const auto burst = make_recorded_traffic(recording);
  CHECK(errors_at(*burst, 25) > 200);
  CHECK(errors_at(*burst, 5) < 60);

  // 1 of 100 requests fails, seen in windows of five: at a weight of 50 % no window has 20 %.
  auto few = recording_of(40, {1000, 10, {}}, {5, 0, {}});
  few[7].canary.errors = few[23].canary.errors = 1;
  const auto shrunk = make_recorded_traffic(few);
  for (int i = 0; i < 40; ++i) {
    CHECK(errors_at(*shrunk, i) < 30);
  }
}

TEST_CASE(
    "release simulation: a recording tells what another policy would have done, while it lasts") {
  auto simulation = simulation_of({policy("Statistical")}, 0, 0, 50);
  simulation.traffic = make_recorded_traffic(recording_of(80, {950, 9, {}}, {50, 5, {}}));
  const auto bad = report_of(simulation);
  CHECK(bad.aborted_share == 1);
  CHECK(bad.false_promotion_rate.value() == 0);

  simulation = simulation_of({policy("Timed", {{"step", "10m"}})}, 0, 0, 3);
  simulation.traffic = make_recorded_traffic(recording_of(10, {950, 9, {}}, {50, 5, {}}));
  const auto ended = report_of(simulation);
  CHECK(share_of(ended, Ending::undecided, k_recording_ended) == 1);
}
