#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/engine/policy_case.hpp>
#include <kubist/policies/builtins.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

using namespace kubist;
using data::Json;

namespace {

engine::PolicyCatalog catalog() {
  engine::PolicyCatalog catalog;
  policies::add_builtins(catalog);
  return catalog;
}

/// Runs one built-in over an empty VirtualCluster at a given time.
util::Result<engine::RecordedRun> run_policy(const std::string& name, const Json& parameters,
                                             const std::string& now = "2026-11-21T12:00:00Z",
                                             const Json& spec = Json::object()) {
  Json resource = {{"apiVersion", resources::k_kubist_api_version},
                   {"kind", "VirtualCluster"},
                   {"metadata", {{"name", "dev"}, {"namespace", "shop"}}},
                   {"spec", spec}};
  Json input = {{"apiVersion", "config.kubernetes.io/v1"},
                {"kind", "ResourceList"},
                {"items", {resource}},
                {"functionConfig", {{"parameters", parameters}, {"now", now}}}};
  auto definition = catalog().find("shop", name);
  if (!definition) {
    return util::fail(definition.error());
  }
  return engine::run_recorded({*definition}, input);
}

std::string outcome_at(const Json& parameters, const std::string& now) {
  auto run = run_policy("TimedWindow", parameters, now);
  REQUIRE_MESSAGE(run, (run ? std::string() : run.error().to_string()));
  const Json& status = run->output["functionConfig"]["status"];
  return status.value("outcome", "") + " " + status.value("requeueAfter", "-");
}

}  // namespace

TEST_CASE("builtins: aliases and any case name the same policy") {
  auto all = catalog();
  for (const char* name : {"TimedWindow", "timedwindow", "timed-window", "TimedPolicy", "window"}) {
    auto found = all.find("any", name);
    REQUIRE_MESSAGE(found, name);
    CHECK((*found)->name == "TimedWindow");
  }
  CHECK((*all.find("any", "json-patch"))->name == "JsonPatch");
  CHECK(all.list("any").size() == policies::builtins().size());
}

TEST_CASE("builtins: Steps says whether its steps start jobs, and no other policy starts any") {
  for (const auto& builtin : policies::builtins()) {
    CHECK(bool(builtin.definition->calls_jobs) == (builtin.definition->name == "Steps"));
  }
  const auto all = catalog();
  const auto steps = *all.find("any", "StepsPolicy");
  const auto starts = [&](Json step) {
    return steps->calls_jobs({{"steps", {{{"setWeight", 20}}, std::move(step)}}});
  };
  const Json pod{
      {"template", {{"spec", {{"containers", {{{"name", "c"}, {"image", "busybox"}}}}}}}}};
  const auto metric = [](Json more) {
    more["name"] = "smoke";
    return Json{{"analysis", {{"metrics", Json::array({std::move(more)})}}}};
  };
  CHECK(starts({{"job", {{"name", "smoke"}, {"image", "busybox"}}}}));
  CHECK(starts(metric({{"provider", {{"job", {{"spec", pod}}}}}})));
  CHECK_FALSE(starts(metric({{"successCondition", "canary.errors < 1"}})));
  CHECK_FALSE(starts({{"pause", Json::object()}}));
  CHECK_FALSE(starts({{"webhook", {{"name", "gate"}, {"url", "https://ci.example.com/"}}}}));
  CHECK_FALSE(starts({{"job", {{"name", "no-image"}}}}));  // the steps do not read
}

TEST_CASE("builtins: each has a summary, a text and a schema that compiles") {
  for (const auto& builtin : policies::builtins()) {
    CHECK_FALSE(builtin.definition->summary.empty());
    CHECK_FALSE(builtin.definition->doc.empty());
    CHECK(builtin.definition->schema != nullptr);
  }
}

TEST_CASE("JsonPatch: labels, fields and patches change the spec in this order") {
  auto run =
      run_policy("JsonPatch",
                 {{"labels", {{"team", "shop"}}},
                  {"set", {{"create", true}, {"adopt", nullptr}}},
                  {"patch", {{{"op", "replace"}, {"path", "/spec/create"}, {"value", false}}}}},
                 "2026-11-21T12:00:00Z", {{"labels", {{"a", "b"}}}, {"adopt", true}});
  REQUIRE(run);
  CHECK(run->output["items"][0]["spec"] ==
        Json({{"labels", {{"a", "b"}, {"team", "shop"}}}, {"create", false}}));
}

TEST_CASE("JsonPatch: paths outside the spec, failed tests and wrong parameters are errors") {
  auto outside = run_policy(
      "JsonPatch",
      {{"patch", {{{"op", "add"}, {"path", "/metadata/labels"}, {"value", Json::object()}}}}});
  REQUIRE_FALSE(outside);
  CHECK(outside.error().message.find("not below /spec") != std::string::npos);
  CHECK_FALSE(
      run_policy("JsonPatch", {{"patch", {{{"op", "test"}, {"path", "/spec/x"}, {"value", 1}}}}}));
  CHECK_FALSE(run_policy("JsonPatch", {{"label", Json::object()}}));
  CHECK_FALSE(run_policy("JsonPatch", {{"patch", {{{"op", "merge"}, {"path", "/spec"}}}}}));
}

TEST_CASE("TimedWindow: inside acts, outside holds until the next start") {
  Json daily = {{"windows", {{{"from", "10:00"}, {"to", "14:00"}}}}};
  CHECK(outcome_at(daily, "2026-11-21T12:00:00Z") == "Inside 7200s");
  CHECK(outcome_at(daily, "2026-11-21T10:00:00Z") == "Inside 14400s");
  CHECK(outcome_at(daily, "2026-11-21T14:00:00Z") == "Hold 72000s");
  CHECK(outcome_at(daily, "2026-11-21T09:59:59Z") == "Hold 1s");
}

TEST_CASE("TimedWindow: windows run over midnight and belong to the day they start on") {
  Json friday = {{"windows", {{{"days", {"Fri"}}, {"from", "22:00"}, {"to", "06:00"}}}}};
  CHECK(outcome_at(friday, "2026-11-20T23:00:00Z") == "Inside 25200s");
  CHECK(outcome_at(friday, "2026-11-21T05:00:00Z") == "Inside 3600s");
  CHECK(outcome_at(friday, "2026-11-20T05:00:00Z") == "Hold 61200s");
  CHECK(outcome_at(friday, "2026-11-21T06:00:00Z") == "Hold 576000s");
}

TEST_CASE("TimedWindow: the offset moves days and times") {
  Json berlin = {{"windows", {{{"days", {"saturday"}}, {"from", "00:00"}, {"to", "01:00"}}}},
                 {"utcOffset", "+01:00"}};
  CHECK(outcome_at(berlin, "2026-11-20T23:30:00Z") == "Inside 1800s");
  CHECK(outcome_at(berlin, "2026-11-21T00:00:00Z") == "Hold 601200s");
}

TEST_CASE("TimedWindow: a zone's clocks change, and so does the window") {
  const Json nights = {{"windows", {{{"from", "22:00"}, {"to", "06:00"}}}},
                       {"timeZone", "Europe/Berlin"}};
  CHECK(outcome_at(nights, "2026-11-20T21:00:00Z") == "Inside 28800s");
  CHECK(outcome_at(nights, "2026-07-20T19:59:00Z") == "Hold 60s");
  // Seven hours: the clocks go forward in it.
  CHECK(outcome_at(nights, "2026-03-28T21:00:00Z") == "Inside 25200s");
}

TEST_CASE("TimedWindow: a schedule opens it, for its duration") {
  const Json nights = {{"windows", {{{"schedule", "0 22 * * 1-5"}, {"duration", "8h"}}}}};
  CHECK(outcome_at(nights, "2026-11-21T05:00:00Z") == "Inside 3600s");  // since Friday
  CHECK(outcome_at(nights, "2026-11-21T06:00:00Z") == "Hold 230400s");  // until Monday
  const Json rare = {{"windows", {{{"schedule", "0 0 29 2 *"}, {"duration", "24h"}}}}};
  CHECK(outcome_at(rare, "2026-03-01T00:00:00Z") == "Hold 63072000s");  // two years
  const Json never = {{"windows", {{{"schedule", "0 0 31 2 *"}, {"duration", "24h"}}}}};
  CHECK(outcome_at(never, "2026-03-01T00:00:00Z") == "Hold -");
  const Json always = {{"windows", {{{"schedule", "* * * * *"}, {"duration", "1m"}}}}};
  CHECK(outcome_at(always, "2026-03-01T00:00:00Z") == "Inside -");
  const Json week = {{"windows", {{{"schedule", "0 0 22 11 *"}, {"duration", "168h"}}}}};
  CHECK(outcome_at(week, "2026-11-28T23:00:00Z") == "Inside 3600s");
}

TEST_CASE("TimedWindow: dates bound a window, touching windows are one") {
  Json once = {{"windows", {{{"start", "2026-12-24T08:00:00Z"}, {"end", "2027-01-24T00:00:00Z"}}}}};
  CHECK(outcome_at(once, "2026-12-24T07:00:00Z") == "Hold 3600s");
  CHECK(outcome_at(once, "2026-12-25T00:00:00Z") == "Inside 2592000s");
  CHECK(outcome_at(once, "2027-02-01T00:00:00Z") == "Hold -");
  Json always = {{"windows", {Json::object()}}};
  CHECK(outcome_at(always, "2026-12-25T00:00:00Z") == "Inside -");
  Json touching = {
      {"windows", {{{"from", "08:00"}, {"to", "12:00"}}, {{"from", "12:00"}, {"to", "20:00"}}}}};
  CHECK(outcome_at(touching, "2026-11-21T11:00:00Z") == "Inside 32400s");
}

TEST_CASE("TimedWindow: patches inside and outside, without holding") {
  Json parameters = {
      {"windows", {{{"from", "10:00"}, {"to", "14:00"}}}},
      {"outside", "continue"},
      {"patchInside", {{{"op", "add"}, {"path", "/spec/namespace"}, {"value", "day"}}}},
      {"patchOutside", {{{"op", "add"}, {"path", "/spec/namespace"}, {"value", "night"}}}}};
  const auto namespace_at = [&](const char* time) {
    const auto run = run_policy("window", parameters, time);
    REQUIRE_MESSAGE(run, (run ? std::string() : run.error().to_string()));
    return run->output["items"][0]["spec"]["namespace"];
  };
  CHECK(namespace_at("2026-11-21T12:00:00Z") == "day");
  CHECK(namespace_at("2026-11-21T20:00:00Z") == "night");
}

TEST_CASE("TimedWindow: wrong parameters are named") {
  auto message = [](const Json& parameters) {
    auto run = run_policy("TimedWindow", parameters);
    return run ? std::string("no error") : run.error().to_string();
  };
  CHECK(message(Json::object()).find("windows") != std::string::npos);
  CHECK(message({{"windows", {{{"from", "25:00"}}}}}).find("25:00") != std::string::npos);
  CHECK(message({{"windows", {{{"days", {"someday"}}}}}}).find("someday") != std::string::npos);
  CHECK(message({{"windows", {Json::object()}}, {"utcOffset", "Berlin"}}).find("Berlin") !=
        std::string::npos);
  CHECK(message({{"windows", {Json::object()}}, {"timeZone", "Mars"}}).find("Mars") !=
        std::string::npos);
  CHECK(message({{"windows", {{{"schedule", "0 22 * * *"}}}}}).find("duration") !=
        std::string::npos);
  CHECK(
      message({{"windows", {{{"schedule", "0 22 * * *"}, {"from", "08:00"}}}}}).find("only one") !=
      std::string::npos);
  CHECK(message({{"windows", {{{"schedule", "0 25 * * *"}, {"duration", "1h"}}}}}).find("hour") !=
        std::string::npos);
  CHECK(message({{"windows", Json::array_t(64, Json::object())}}) == "no error");
  CHECK(message({{"windows", Json::array_t(65, Json::object())}}).find("64") != std::string::npos);
}

TEST_CASE("Statistical: of several clusters together one bad one is enough, and is named") {
  const auto look = [](const Json& state, double bad) {
    const auto arms = [](double errors) {
      return Json{{"v1", {{"requests", 900}, {"errors", 0}, {"latency", Json::array()}}},
                  {"v2", {{"requests", 300}, {"errors", errors}, {"latency", Json::array()}}}};
    };
    const Json window{
        {"seconds", 30},
        {"weight", 10},
        {"arms", arms(bad)},
        {"clusters", {{{"name", "eu"}, {"arms", arms(0)}}, {{"name", "us"}, {"arms", arms(bad)}}}}};
    const Json release{{"apiVersion", resources::k_kubist_api_version},
                       {"kind", "CanaryRelease"},
                       {"metadata", {{"name", "shop"}, {"namespace", "shop"}}},
                       {"spec", {{"stable", "v1"}, {"canary", "v2"}, {"weights", {10, 50}}}},
                       {"status",
                        {{"state", "Waiting"},
                         {"weight", 10},
                         {"attempt", 1},
                         {"observedAt", "2026-11-22T10:00:00Z"}}}};
    auto run = engine::run_recorded({*catalog().find("shop", "Statistical")},
                                    {{"apiVersion", "config.kubernetes.io/v1"},
                                     {"kind", "ResourceList"},
                                     {"items", {release}},
                                     {"functionConfig",
                                      {{"parameters", Json::object()},
                                       {"state", state},
                                       {"metrics", {{"window", window}}},
                                       {"now", "2026-11-22T10:02:00Z"}}}});
    REQUIRE_MESSAGE(run, (run ? std::string() : run.error().to_string()));
    return run->output["functionConfig"]["status"];
  };
  Json status = look(Json::object(), 0);
  CHECK(status["state"]["clusters"] == 2);
  CHECK(look(status["state"], 0)["decision"]["action"] == "hold");
  status = look(status["state"], 150);
  CHECK(status["decision"]["action"] == "rollback");
  CHECK(data::string_at(status, {"decision", "message"}).find("us: ") == 0);
}

TEST_CASE("builtins: numbers of the workload are queries of those that name them") {
  const auto queries = [](const char* policy, const Json& parameters) {
    std::vector<std::string> names;
    for (const auto& [name, query] :
         engine::metrics_of(**catalog().find("shop", policy), parameters)) {
      names.push_back(to_string(query));
    }
    return util::join(names, " ");
  };
  CHECK(queries("Expression", {{"expression", "canary.cpu < 2 * stable.cpu && weight < 50"}}) ==
        "canary.cpu stable.cpu window");
  CHECK(queries("Expression", {{"expression", "canary.p99 < 200"}}) == "window");
  CHECK(queries("Metric", {{"metric", "availability"}}) ==
        "canary.availability stable.availability window");
  const Json analysis = Json::parse(R"([{"setWeight": 5}, {"analysis": {"metrics": [
      {"name": "a", "value": "canary.memory", "thresholdRange": {"max": 1e9}},
      {"name": "b", "successCondition": "stable.replicas > 1"}]}}])");
  CHECK(queries("Steps", {{"steps", analysis}}) == "canary.memory stable.replicas window");
}

TEST_CASE("builtins: an analysis has as many metrics as Metric may have, and no more") {
  const auto why = [](int count) {
    Json metrics = Json::array();
    for (int i = 0; i < count; ++i) {
      metrics.push_back({{"name", util::cat("m", i)}, {"successCondition", "canary.errors < 1"}});
    }
    const Json steps{{{"setWeight", 20}}, {{"analysis", {{"metrics", metrics}}}}};
    const auto run = run_policy("Steps", {{"steps", steps}}, "2026-11-21T12:00:00Z",
                                {{"stable", "v1"}, {"canary", "v2"}});
    return run ? std::string() : run.error().message;
  };
  CHECK(why(32).find("more than 32") == std::string::npos);
  CHECK(why(33).find("has 33 metrics, more than 32") != std::string::npos);
}

TEST_CASE("calls: Steps calls once it stands at the step, in any wave") {
  const Json steps = Json::parse(R"([{"setWeight": 10},
      {"job": {"name": "smoke", "image": "checks/smoke:1", "retries": 5}},
      {"webhook": {"name": "smoke", "url": "http://gate.test/"}}, {"setWeight": 40}])");
  const auto look = [&](const char* kept, const char* more, const Json& answers) {
    Json release = {{"kind", "CanaryRelease"},
                    {"metadata", {{"name", "a"}}},
                    {"spec", {{"stable", "v1"}, {"canary", "v2"}}},
                    {"status",
                     {{"state", "Waiting"},
                      {"weight", 10},
                      {"attempt", 2},
                      {"observedAt", "2026-11-22T10:00:00Z"}}}};
    release["status"].update(Json::parse(more));
    const auto run = engine::run_recorded({*catalog().find("shop", "Steps")},
                                          {{"items", {release}},
                                           {"functionConfig",
                                            {{"parameters", {{"steps", steps}}},
                                             {"state", Json::parse(kept)},
                                             {"answers", answers},
                                             {"now", "2026-11-22T10:02:00Z"}}}});
    REQUIRE_MESSAGE(run, (run ? std::string() : run.error().to_string()));
    return run->output["functionConfig"]["status"];
  };
  const auto calls = [&](const char* kept, const char* more) {
    return look(kept, more, Json::object()).value("calls", Json::array());
  };
  const char* const none = "{}";
  CHECK(calls(R"({"attempt": 2, "weight": 10, "step": 0})", none) == Json::parse(R"([
      {"name": "smoke", "step": 0, "failed": 0,
       "job": {"config": {"image": "checks/smoke:1"}, "timeout": "10m0s"}}])"));
  CHECK(calls(R"({"attempt": 2, "weight": 10, "step": 1})", none) == Json::parse(R"([
      {"name": "smoke", "step": 1, "failed": 0,
       "webhook": {"url": "http://gate.test/", "timeout": 10, "metadata": {}}}])"));
  CHECK(calls(R"({"attempt": 2, "weight": 10, "step": 0, "failed": 3})", none)[0]["failed"] == 3);
  CHECK(calls(none, none).empty());
  CHECK(calls(R"({"attempt": 1, "weight": 10, "step": 0})", none).empty());
  CHECK(calls(R"({"attempt": 2, "weight": 10, "step": 0})", R"({"state": "Paused"})").empty());
  CHECK(calls(R"({"attempt": 2, "weight": 10, "step": 0, "again": "2100-01-01T00:00:00Z"})", none)
            .empty());
  const char* const second = R"({"wave": {"number": 2, "of": 2}})";
  CHECK(calls(R"({"attempt": 2, "weight": 10, "step": 0})", second).empty());
  CHECK(calls(R"({"attempt": 2, "weight": 1010, "step": 0})", second).size() == 1);
  // The answer is the job's: the webhook of the same name has none yet, and its turn comes next.
  const Json passed =
      look(R"({"attempt": 2, "weight": 10, "step": 0})", none, {{"smoke", {{"succeeded", true}}}});
  CHECK(passed["state"]["step"] == 1);
  CHECK_FALSE(passed.contains("calls"));
}

TEST_CASE("statistical: what is slower than the next bound of the histogram is judged, and named") {
  Json input = Json::parse(R"({"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList",
    "items": [
      {"apiVersion": "kubist.io/v1alpha1", "kind": "CanaryRelease", "metadata": {"name": "a"},
       "spec": {"stable": "v1", "canary": "v2", "weights": [10, 50]},
       "status": {"state": "Waiting", "weight": 10, "observedAt": "2026-11-22T10:00:00Z"}},
      {"apiVersion": "kubist.io/v1alpha1", "kind": "ReleaseObservation", "metadata": {"name": "v2"},
       "target": {"name": "v2/abc", "ready": true}}],
    "functionConfig": {"parameters": {"latency": {"bound": "400ms"}}, "now": "2026-11-22T10:02:00Z",
      "metrics": {"window": {"seconds": 30, "weight": 10, "arms": {
        "v1": {"requests": 900, "errors": 0, "latency": [{"le": 100, "count": 800},
               {"le": 500, "count": 900}, {"le": "+Inf", "count": 900}]},
        "v2": {"requests": 100, "errors": 0, "latency": [{"le": 100, "count": 10},
               {"le": 500, "count": 20}, {"le": "+Inf", "count": 100}]}}}}}})");
  const auto definition = catalog().find("shop", "Statistical");
  Json decision;
  for (int window = 0; window < 2; ++window) {  // the first one of a step is dropped
    const auto run = engine::run_recorded({*definition}, input);
    REQUIRE_MESSAGE(run, (run ? std::string() : run.error().to_string()));
    decision = run->output["functionConfig"]["decision"];
    input["functionConfig"]["state"] = run->output["functionConfig"]["status"]["state"];
  }
  CHECK(decision["action"] == "rollback");
  const std::string message = decision["message"];
  CHECK_MESSAGE(
      message.starts_with("slower than 500 ms (the next bound above 400 ms): canary 80 of "
                          "100 (80 %), stable 0 of 900 (0 %)"),
      message);
}
