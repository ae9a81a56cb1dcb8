// `kubist validate` refuses what the built-in policies would refuse when they run.
#include <doctest/doctest.h>

#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "run_words.hpp"

using namespace kubist;
using kubist::testing::run_words;

namespace {

/// `kubist validate` of a release whose policy has these parameters: they begin in line 8,
/// column 9.
testing::Ran validate_release(std::string_view policy, std::string_view parameters) {
  const util::TempDir folder("validate-policies");
  const auto path = folder.path() / "release.yaml";
  REQUIRE(util::write_file(
      path, util::cat("apiVersion: kubist.io/v1alpha1\nkind: CanaryRelease\n"
                      "metadata: {name: web, namespace: shop}\nspec:\n  policies:\n    - name: ",
                      policy, "\n      parameters:\n        ",
                      util::replace_all(parameters, "\n", "\n        "),
                      "\n  virtualClusterRef: {name: dev}\n  destination: web\n  stable: v1\n"
                      "  canary: v2\n  routes: [web]\n")));
  auto ran = run_words({"validate", "-f", path.string()});
  ran.err = util::replace_all(ran.err, path.string(), "release.yaml");
  return ran;
}

struct Refused {
  const char* policy;
  const char* parameters;
  const char* where;
  const char* says;
};

constexpr Refused k_refused[] = {
    {"Steps", "steps:\n- setWeight: 10\n- pasue: {}", "10:11", "pasue is not supported"},
    {"Steps", "steps:\n- setWeight: 20\n- setWeight: 10", "10:22", "out of order"},
    {"Steps", "steps:\n- pause: {}\n- setWeight: 10", "9:18", "stands before the first setWeight"},
    {"Steps", "steps:\n- setWeight: 10\n- pause: {duration: soon}", "10:29", "no duration"},
    {"Steps", "steps:\n- setCanaryScale: {}", "9:11", "does not write Deployments"},
    {"Steps",
     "steps:\n- setWeight: 10\n- analysis:\n    metrics:\n    - name: errors\n"
     "      successCondition: canary.erorRate < 1",
     "13:33", "did you mean \"canary.errorRate\"?"},
    {"Steps",
     "steps:\n- setWeight: 10\n- analysis:\n    metrics:\n    - {name: slow, "
     "thresholdRange: {max: 5}}",
     "12:22", "metric slow is none of"},
    {"Steps", "steps:\n- setWeight: 10\n- webhook: {name: gate}", "10:20",
     "needs a name and a url"},
    {"Steps", "steps:\n- setWeight: 10\n- setMirrorRoute: {name: m, percentage: 101}", "10:49",
     "no percent"},
    {"Metric", "metrics:\n- {name: p, value: canary.p95 >, thresholdRange: {max: 1}}", "9:28",
     "metric p: "},
    {"Metric", "metrics:\n- {name: request-duration, thresholdRange: {}}", "9:52",
     "needs min, max or both"},
    {"Metric", "metric: canary.p95", "8:17", "parameter metric: "},
    {"Metric",
     "metrics:\n- {name: request-duration, thresholdRange: {max: 1}}\nthreshold: 3\n"
     "failureLimit: 9",
     "10:20", "contradict each other"},
    {"Expression", "expression: canary.errorRate", "8:21", "is a number, not a condition"},
    {"Expression", "expression: canary.errorRate < 0.01 &&\ncount: 2", "8:21",
     "parameter expression"},
    {"TimedWindow", "windows:\n- {from: '25:00'}", "9:18", "not a time of day"},
    {"TimedWindow", "windows:\n- {}\n- {days: [Mon, Someday]}", "10:24", "not a day like Mon"},
    {"TimedWindow", "windows:\n- {schedule: '0 25 * * *', duration: 1h}", "9:22", "hour"},
    {"TimedWindow", "windows:\n- {schedule: '0 9 * * *', duration: 1s}", "9:45", "from 1m to 168h"},
    {"TimedWindow", "windows:\n- {start: '2026-12-24T00:00:00Z', end: '2026-12-01T00:00:00Z'}",
     "9:48", "end must be after start"},
    {"TimedWindow", "windows: [{}]\nutcOffset: Berlin", "9:20", "is not an offset like +01:00"},
    {"TimedWindow", "windows: [{}]\ntimeZone: /etc/passwd", "9:19", "no name of a time zone"},
};

}  // namespace

TEST_CASE("validate: the parameters of built-in policies are refused with their place") {
  for (const Refused& refused : k_refused) {
    CAPTURE(refused.policy);
    CAPTURE(refused.parameters);
    const auto ran = validate_release(refused.policy, refused.parameters);
    CAPTURE(ran.err);
    CHECK(ran.code == 1);
    CHECK(ran.err.find(util::cat("release.yaml:", refused.where, ": ")) != std::string::npos);
    CHECK(ran.err.find(refused.says) != std::string::npos);
    CHECK(ran.err.find("errors in") == std::string::npos);
  }
}

TEST_CASE("validate: a policy of another kind is refused at its name") {
  const util::TempDir folder("validate-policies");
  const auto path = folder.path() / "project.yaml";
  const auto refused = [&](std::string_view spec) {
    REQUIRE(util::write_file(path, util::cat("apiVersion: kubist.io/v1alpha1\nkind: Project\n"
                                             "metadata: {name: shop}\nspec:\n",
                                             spec)));
    return run_words({"validate", "-f", path.string()});
  };
  const auto ran = refused("  policies:\n    - name: steps\n");
  CHECK(ran.code == 1);
  CHECK_MESSAGE(ran.err.find("project.yaml:6:13: Project/shop: policy Steps: it is not for kind "
                             "Project, only for CanaryRelease") != std::string::npos,
                ran.err);
  constexpr std::string_view k_steps =
      "], policies: [{name: Steps, parameters: {steps: [{setWeight: 9}]}}]}]\n";
  CHECK(refused(util::cat("  impose: [{kinds: [CanaryRelease", k_steps)).code == 0);
  CHECK(refused(util::cat("  impose: [{kinds: [Execution", k_steps))
            .err.find("it is not for kind Execution") != std::string::npos);
}

TEST_CASE("validate: what settings may give to a built-in policy is not missed") {
  CHECK(validate_release("Metric", "count: 2").code == 0);
  CHECK(validate_release("Steps", "{}").code == 0);
  CHECK(validate_release("Metric", "count: 0").code == 1);
  CHECK(validate_release("Steps", "steps: [{setWeight: 10}, {pause: {duration: 1m}}]").code == 0);
}
