// Policies that mean harm, or are broken, in releases under way: theirs fail and stay where they
// are, people can still end them, and nothing else notices.
#include <algorithm>
#include <regex>

#include "looks.hpp"

using namespace traffic_test;

namespace {

const std::pair<const char*, const char*> k_hostile[] = {
    {"loop", "function(list) local f(n) = if n < 0 then n else f(n + 1) tailstrict; f(0)"},
    {"big", "function(list) std.repeat('x', 10000000000)"},
    {"deep", "function(list) local f(n) = 1 + f(n + 1); f(0)"},
    {"file", "function(list) importstr '/etc/hostname'"},
    {"broken", "function(list) list.nothing"},
};

Json policy(Stage& stage, const std::string& name, const std::string& source) {
  return object("PolicyDefinition", stage.project(), name,
                {{"runtime", {{"jsonnet", {{"source", source}}}}}});
}

void hostile_release(Stage& stage, const std::string& name, const std::string& hold_limit,
                     const std::string& first_policy) {
  stage.apply("CanaryRelease", name,
              cat("{destination: ", name, ", stable: v1, canary: v2, routes: [", name,
                  "], interval: 1s, bake: 1s, holdLimit: ", hold_limit,
                  ", weights: [20, 50], policies: [", first_policy, ", {name: ", name, "}]}"));
}

const char* const k_healthy_for_an_hour = "{name: Health, parameters: {step: 1h}}";

/// A stage with ready pods of both versions.
void make_pods(Stage& stage) {
  stage.reconcile();
  for (const char* version : {"v1", "v2"}) {
    stage.ready_pod(cat("web-", version), {{"app", "web"}, {"version", version}});
  }
}

/// A route and a release of it, whose policies are Health and `name`.
void begin(Stage& stage, const std::string& name) {
  stage.apply("Destination", name,
              "{selector: {app: web}, ports: [{port: 80, targetPort: 8080}], subsets: {v1: "
              "{labels: {version: v1}}, v2: {labels: {version: v2}}}}");
  stage.apply("TrafficRoute", name,
              cat("{hosts: [", name, ".example.com], routes: [{weights: [{destination: ", name,
                  ", version: v1}]}]}"));
  hostile_release(stage, name, "1h", k_healthy_for_an_hour);
}

CommandResult look(Stage& stage, const std::string& what, const std::string& time) {
  return run_kubist(
      stage.world().as_user({"reconcile", what, "-n", stage.project(), "--timeout=" + time}));
}

std::string field(Stage& stage, const std::string& name, const char* field) {
  return text_of(stage.node("canaryreleases", name), {"status", field});
}

std::int64_t weight(Stage& stage, const std::string& name) {
  return data::int_at(*stage.node("canaryreleases", name), {"status", "weight"});
}

}  // namespace

TEST_CASE("canary: a hostile policy fails its own release alone, which can still be aborted") {
  Stage stage("hostile");
  make_pods(stage);
  std::vector<std::string> names{"good"};
  for (const auto& [name, source] : k_hostile) {
    names.push_back(name);
  }
  for (const std::string& name : names) {
    put("home", {policy(stage, name, "function(list) list")});
    begin(stage, name);
  }
  const std::string all = "Project/" + stage.project();
  const auto waiting = [&](const std::string& name) {
    return field(stage, name, "state") == "Waiting";
  };
  REQUIRE(look_until(
      stage, all, [&] { return std::all_of(names.begin(), names.end(), waiting); }, 90));
  for (const auto& [name, source] : k_hostile) {
    put("home", {policy(stage, name, source)});
  }
  hostile_release(stage, "broken", "5s", k_healthy_for_an_hour);
  hostile_release(stage, "good", "1h", "{name: Timed, parameters: {step: 1s}}");
  const std::pair<const char*, const char*> said[] = {
      {"loop", "processor time|took longer"},  // on a busy machine
      {"big", "memory"},
      {"deep", "max stack frames exceeded"},
      {"file", "imports are not allowed"}};
  const auto is_said = [&](const auto& each) {
    return std::regex_search(message(stage.node("canaryreleases", each.first), "Ready"),
                             std::regex(each.second));
  };
  look_until(
      stage, all,
      [&] {
        return std::all_of(std::begin(said), std::end(said), is_said) &&
               weight(stage, "good") >= 50;
      },
      90);
  for (const auto& [name, part] : said) {
    CAPTURE(name);
    const auto release = stage.node("canaryreleases", name);
    CHECK(condition(release, "Ready") == "False");
    CHECK_MESSAGE(std::regex_search(message(release, "Ready"), std::regex(part)),
                  message(release, "Ready"));
    CHECK(weight(stage, name) == 20);
    CHECK(text_of(stage.node("trafficroutes", name), {"status", "weights"}) ==
          cat(name, " v1 80 %, ", name, " v2 20 %"));
  }
  CHECK(weight(stage, "good") >= 50);
  CHECK(look(stage, "CanaryRelease/deep", "20s").exit_code == 1);
  CHECK(look(stage, "CanaryRelease/good", "60s").exit_code == 0);
  const CommandResult aborted = run_kubist(stage.world().as_user(
      {"canary", "abort", "loop", "-n", stage.project(), "--wait", "--timeout=100s"}));
  CHECK_MESSAGE(aborted.exit_code == 4, aborted.out, aborted.err);
  // A policy that is never mended decides nothing: after the limit it rolls back.
  const auto ended = [&] {
    look(stage, "CanaryRelease/broken", "5s");
    return field(stage, "broken", "state") == "RolledBack";
  };
  CHECK_MESSAGE(eventually(ended, 60), field(stage, "broken", "message"));
  CHECK(field(stage, "broken", "reason") == "PolicyFailed");
  for (const char* name : {"loop", "broken"}) {
    CHECK(text_of(stage.node("trafficroutes", name), {"status", "weights"}) ==
          cat(name, " v1 100 %"));
  }
}

TEST_CASE("canary: with --watch, neither a policy that hangs nor scripts keep another waiting") {
  constexpr int k_scripts = 16;
  Stage stage("hanging");
  make_pods(stage);
  put("home",
      {policy(stage, "loop", k_hostile[0].second), policy(stage, "good", "function(list) list"),
       policy(stage, "bad", "function(list) list")});
  for (const char* name : {"loop", "good", "bad"}) {
    begin(stage, name);
  }
  Background watch(stage.world().as_user({"reconcile", "Project/" + stage.project(), "--watch"}));
  const auto running = [&] {
    const auto pods = list("home", "pod", stage.ns());
    return std::count_if(pods.begin(), pods.end(), [](const Json& pod) {
      return data::string_at(pod, {"status", "phase"}) == "Running";
    });
  };
  // Objects that come while the first run is planned would have it planned again with the scripts.
  REQUIRE_MESSAGE(eventually([&] { return weight(stage, "bad") == 20; }, 120), watch.output());
  for (int i = 0; i < k_scripts; ++i) {
    stage.apply("Execution", cat("s", i),
                "{items: [{name: run, type: Script, image: 'localhost/busybox:1', timeout: 15m, "
                "script: 'sleep 900'}]}");
  }
  REQUIRE_MESSAGE(eventually([&] { return running() == k_scripts; }, 120), watch.output());
  stage.apply("CanaryRelease", "good",
              "{destination: good, stable: v1, canary: v2, routes: [good], interval: 1s, bake: 1s, "
              "weights: [20, 40, 60, 80], policies: [{name: Timed, parameters: {step: 1s}}, {name: "
              "good}]}");
  const auto promoted = [&] { return field(stage, "good", "state") == "Succeeded"; };
  // Ten looks, each of which would take the 10 s that the other policy may use.
  CHECK_MESSAGE(eventually(promoted, 60), watch.output());
  CHECK(message(stage.node("canaryreleases", "loop"), "Ready").find("asked again after") !=
        std::string::npos);

  // A rollback is decided at the next look.
  stage.apply("CanaryRelease", "bad",
              "{destination: bad, stable: v1, canary: v2, routes: [bad], interval: 10s, bake: 1s, "
              "weights: [20, 50], policies: [{name: Health, parameters: {step: 1h, "
              "failureThreshold: 1}}, {name: bad}]}");
  stage.set_ready("web-v2", false);
  const auto taken_back = [&] { return field(stage, "bad", "state") == "RolledBack"; };
  CHECK_MESSAGE(eventually(taken_back, 60), watch.output());
  CHECK(running() == k_scripts);
  CHECK(condition(stage.node("canaryreleases", "loop"), "Ready") == "False");
}
