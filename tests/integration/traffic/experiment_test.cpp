// An Experiment on real requests through the real gateway: who gets what, what is counted, and what
// is left behind.
#include <cmath>
#include <map>

#include "backend.hpp"

using namespace traffic_test;

namespace {

/// The Envoys count what they answered: their counters are the goal.
const char* const k_variants =
    "variants: [{name: control, destination: web, version: v1, tags: {color: blue}}, {name: green, "
    "destination: web, version: v2}], interval: 2s, maxDuration: 10m";

std::string goal(const std::string& ns) {
  const auto value = [](const char* counter) {
    return cat("'{.stats[?(@.name==\"http.http.downstream_rq_", counter, "\")].value}'");
  };
  return cat("goals: [{name: answered, source: {json: {namespace: ", ns,
             ", service: 'stats-$version:80', path: "
             "'/stats?format=json&filter=http.http.downstream_rq'}}, count: ",
             value("total"), ", successes: ", value("2xx"), "}]");
}

Json stats_service(const std::string& ns, const std::string& version) {
  return yaml(cat("{apiVersion: v1, kind: Service, metadata: {name: stats-", version,
                  ", namespace: ", ns, "}, spec: {selector: {app: web, version: ", version,
                  "}, ports: [{port: 80, targetPort: 9901}]}}"));
}

const Words k_with_code{"-w", " %{http_code}\\n"};

/// Gives most clients what is best so far; names it as the winner when it is told to end.
const char* const k_bandit = R"(
function(list)
  local seen = [o for o in list.items if o.kind == 'ExperimentObservation'][0];
  local rows = seen.goals[0].variants;
  local best = if rows[0].value >= rows[1].value then 0 else 1;
  local known = rows[0].samples >= 50 && rows[1].samples >= 50;
  local decision =
    if !seen.read then null
    else if std.get(list.functionConfig.parameters, 'end', false) then
      { action: 'advance', winner: rows[best].name, reason: 'Asked', message: 'enough' }
    else
      { action: 'hold', reason: 'Learning', message: 'best: ' + rows[best].name,
        shares: if known then { [rows[best].name]: 90, [rows[1 - best].name]: 10 } else {} };
  list { functionConfig+: { status: { [if decision != null then 'decision']: decision } } })";

class Experiment {
 public:
  explicit Experiment(const std::string& test) : stage(test) {}

  void apply(const std::string& more) {
    stage.apply("Experiment", "button",
                cat("{route: web, ", k_variants, ", ", goal(stage.ns()), ", ", more, "}"));
  }
  /// Both versions behind the gateway; v2 answers this share of its requests with 500.
  void serve(int percent_bad) {
    stage.reconcile();
    put("home", {backend(stage.ns(), "v1"), backend(stage.ns(), "v2", percent_bad),
                 stats_service(stage.ns(), "v1"), stats_service(stage.ns(), "v2")});
    stage.apply("Destination", "web", k_destination);
    stage.apply("EntryGateway", "entry",
                cat("{servers: [{port: 80, hosts: [", host_of(stage), "]}]}"));
    stage.apply(
        "TrafficRoute", "web",
        cat("{hosts: [", host_of(stage),
            "], gateways: [entry], routes: [{weights: [{destination: web, version: v1}]}]}"));
    must(stage.reconcile("300s"));
    await_ready(stage.ns(), {"web-v1", "web-v2"});
    REQUIRE(eventually([&] { return ask(1, k_with_code)["v1 200"] == 1; }, 120));
  }
  CommandResult look(const std::string& timeout = "3s") {
    return run_kubist(stage.world().as_user(
        {"reconcile", "Experiment/button", "-n", stage.project(), "--timeout=" + timeout}));
  }
  CommandResult status(Words more = {}) {
    Words words{"experiment", "status", "button", "-n", stage.project()};
    words.insert(words.end(), more.begin(), more.end());
    return run_kubist(stage.world().as_user(words));
  }
  std::string field(const char* name) {
    return text_of(stage.node("experiments", "button"), {"status", name});
  }
  std::string spec() {
    const auto live = stage.live("virtualservices", "web");
    return live ? (*live)["spec"].dump() : "";
  }
  /// Lines of what curl prints of so many requests, by how often each is there.
  std::map<std::string, int> ask(int count, Words more) {
    Words words{"curl", "-s", "-H", cat("Host: ", host_of(stage))};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back(cat("http://", gateway_address(stage), "/?[1-", count, "]"));
    std::map<std::string, int> lines;
    for (const std::string& line : kubist::util::split(run_command(words).out, '\n')) {
      ++lines[std::string(line.substr(0, line.find('\r')))];
    }
    return lines;
  }

  Stage stage;
};

}  // namespace

TEST_CASE("experiment: clients keep the variant that they got, and the better one is found" *
          doctest::description("seed 1.7: and run experiments")) {
  Experiment experiment("sticky");
  Stage& stage = experiment.stage;
  experiment.serve(40);
  const std::string original = experiment.spec();

  experiment.apply("test: {samples: 200}");
  REQUIRE(eventually([&] { return (experiment.look(), !experiment.field("readAt").empty()); }, 60));
  CHECK(experiment.field("state") == "Running");
  CHECK(experiment.spec() != original);
  CHECK(experiment.status().exit_code == 3);

  // 400 clients that have no cookie: about a half each.
  const std::string cookie = "set-cookie: kubist-exp-button=";
  const std::string rest = "; Path=/; Max-Age=2592000; SameSite=Lax";
  REQUIRE(eventually(
      [&] {
        const auto one = experiment.ask(1, {"-D", "-", "-o", "/dev/null"});
        return one.count(cookie + "control" + rest) + one.count(cookie + "green" + rest) == 1;
      },
      60));
  auto fresh = experiment.ask(400, {"-D", "-", "-o", "/dev/null"});
  const int green = fresh[cookie + "green" + rest];
  CHECK(green + fresh[cookie + "control" + rest] == 400);
  CHECK(std::abs(green - 200) <= k_deviations * std::sqrt(400 * 0.25));
  MESSAGE("green got " << green << " of 400");
  // Each goes to its variant every time, and is given no other cookie.
  auto controls =
      experiment.ask(100, {"-b", "kubist-exp-button=control", "-w", " %{http_code}\\n"});
  CHECK(controls["v1 200"] == 100);
  auto greens = experiment.ask(100, {"-b", "kubist-exp-button=green", "-w", " %{http_code}\\n"});
  CHECK(greens["v2 200"] + greens[" 500"] == 100);
  CHECK(experiment.ask(1, {"-b", "kubist-exp-button=green", "-D", "-", "-o", "/dev/null"})
            .count(cookie + "green" + rest) == 0);
  for (int client = 0; client < 8; ++client) {  // with a cookie jar, as browsers
    auto seen = experiment.ask(10, {"-b", "", "-w", " %{http_code}\\n"});
    CHECK((seen["v1 200"] == 10 || seen["v2 200"] + seen[" 500"] == 10));
  }

  const CommandResult end = experiment.look("90s");
  CHECK_MESSAGE(end.exit_code == 0, end.out, end.err);
  CHECK(experiment.field("state") == "Finished");
  CHECK(experiment.field("winner") == "control");
  CHECK(experiment.spec() == original);
  CHECK_FALSE((*stage.node("trafficroutes", "web"))["status"].contains("override"));
  const CommandResult shown = experiment.status();
  CHECK(shown.exit_code == 0);
  CHECK_MESSAGE(shown.out.find("winner control") != std::string::npos, shown.out);
  CHECK(shown.out.find("color=blue") != std::string::npos);
  CHECK(must(experiment.status({"-o", "json"})).find("\"winner\": \"control\"") !=
        std::string::npos);
  // What is over writes nothing, once the pods that came since the first run are counted.
  must(stage.reconcile());
  Audit audit("home");
  experiment.look();
  must(stage.reconcile());
  CHECK_MESSAGE(written(audit, stage).empty(), written(audit, stage));
}

TEST_CASE("experiment: Thompson gives the better variant the clients to come") {
  Experiment experiment("thompson");
  experiment.serve(40);
  const std::string original = experiment.spec();
  experiment.apply("assignment: {kind: Thompson, seed: 7}, test: {samples: 100000000}");
  REQUIRE(eventually([&] { return (experiment.look(), !experiment.field("readAt").empty()); }, 60));
  experiment.ask(600, k_with_code);
  const auto shares = [&] {
    const auto node = experiment.stage.node("experiments", "button");
    const Json* found = data::find_path(*node, {"status", "assignment", "shares"});
    return found == nullptr ? std::string() : found->dump();
  };
  CHECK_MESSAGE(eventually([&] { return (experiment.look(), shares() == "[95,5]"); }, 60),
                shares());
  CHECK(experiment.field("state") == "Running");
  const CommandResult shown = experiment.status();
  CHECK_MESSAGE(shown.out.find("95 %") != std::string::npos, shown.out);
  // The gateway follows: of 400 new clients some 20 get the worse one.
  const auto greens = [&] {
    auto seen = experiment.ask(400, k_with_code);
    return 400 - seen["v1 200"];
  };
  CHECK(eventually([&] { return greens() < 50; }, 60));
  const auto asked = [&](const char* verb, Words more = {}) {
    Words words{"experiment", verb, "button", "-n", experiment.stage.project()};
    words.insert(words.end(), more.begin(), more.end());
    return run_kubist(experiment.stage.world().as_user(words));
  };
  CHECK(must(asked("pause")).find("button: Paused, PausedByRequest") == 0);
  CHECK(asked("pause").exit_code == 1);
  CHECK(must(asked("resume")).find("button: Running") == 0);
  CHECK(must(asked("list")).find("button") != std::string::npos);
  CHECK(asked("abort", {"--wait", "--timeout=60s"}).exit_code == 4);
  CHECK(experiment.spec() == original);
}

TEST_CASE("experiment: a policy of a user assigns the clients and names the winner" *
          doctest::description("seed 1.7: and run experiments")) {
  Experiment experiment("bandit");
  Stage& stage = experiment.stage;
  experiment.serve(40);
  const std::string original = experiment.spec();
  put("home", {object("PolicyDefinition", stage.project(), "bandit",
                      {{"kinds", {"Experiment"}},
                       {"parameters", yaml("{type: object, properties: {end: {type: boolean}}}")},
                       {"runtime", {{"jsonnet", {{"source", k_bandit}}}}}})});
  const auto decided_by = [&](const char* policies) {
    experiment.apply(cat("assignment: {kind: Policies}, policies: ", policies));
  };
  const auto shares = [&] {
    const auto node = experiment.stage.node("experiments", "button");
    const Json* found = data::find_path(*node, {"status", "assignment"});
    return found == nullptr ? std::string() : found->dump();
  };
  decided_by("[{name: bandit}]");
  REQUIRE(eventually([&] { return (experiment.look(), !experiment.field("readAt").empty()); }, 60));
  experiment.ask(400, k_with_code);
  CHECK_MESSAGE(
      eventually([&] { return (experiment.look(), shares() == R"({"shares":[90,10]})"); }, 60),
      shares(), experiment.field("message"));
  CHECK(experiment.field("reason") == "Learning");
  CHECK(experiment.field("message") == "bandit: best: control");
  // The gateway follows: of 400 new clients some 40 get the worse one.
  CHECK(eventually([&] { return 400 - experiment.ask(400, k_with_code)["v1 200"] < 80; }, 60));

  // Behind the built-in judge, which would find the winner, it holds until it says so itself.
  decided_by("[{name: ABTest}, {name: bandit, parameters: {end: true}}]");
  const CommandResult end = experiment.look("60s");
  CHECK_MESSAGE(end.exit_code == 0, end.out, end.err);
  CHECK(experiment.field("state") == "Finished");
  CHECK(experiment.field("winner") == "control");
  CHECK(experiment.spec() == original);
}

TEST_CASE("experiment: it waits for a canary's route, a canary for its, and deleted it lets go") {
  Experiment experiment("held");
  Stage& stage = experiment.stage;
  stage.reconcile();
  for (const char* version : {"v1", "v2"}) {
    stage.ready_pod(cat("web-", version), {{"app", "web"}, {"version", version}});
  }
  stage.apply("Destination", "web", k_destination);
  stage.apply(
      "TrafficRoute", "web",
      "{hosts: [shop.example.com], routes: [{weights: [{destination: web, version: v1}]}]}");
  must(stage.reconcile());
  const std::string original = experiment.spec();
  const std::string canary =
      "{destination: web, stable: v1, canary: v2, routes: [web], interval: 1h, policies: [{name: "
      "Timed, parameters: {step: 1h}}]}";
  const auto state_of = [&](const char* what, const char* field) {
    return text_of(stage.node("canaryreleases", what), {"status", field});
  };
  const auto run = [&](const Words& words) { return run_kubist(stage.world().as_user(words)); };

  stage.apply("CanaryRelease", "first", canary);
  REQUIRE(eventually(
      [&] {
        run({"reconcile", "CanaryRelease/first", "-n", stage.project(), "--timeout=10s"});
        return state_of("first", "state") == "Waiting";
      },
      60));
  experiment.apply("test: {kind: Welch}");
  experiment.look("2s");
  CHECK(experiment.field("state") == "Pending");
  CHECK(experiment.field("reason") == "RouteHeld");
  run({"canary", "abort", "first", "-n", stage.project(), "--wait", "--timeout=60s"});
  REQUIRE(experiment.spec() == original);

  // Nobody answers as the goal's source: that is said, and nothing is judged.
  REQUIRE(eventually([&] { return (experiment.look(), !experiment.field("readAt").empty()); }, 60));
  CHECK(experiment.field("state") == "Running");
  CHECK(experiment.field("reason") == "NotFound");
  const std::string assigned = experiment.spec();
  CHECK(assigned.find("kubist-exp-button=green") != std::string::npos);
  stage.apply("CanaryRelease", "second", canary);
  CHECK(eventually(
      [&] {
        stage.reconcile("2s");  // the experiment goes on for as long as it may
        return state_of("second", "state") == "Pending";
      },
      60));
  CHECK(state_of("second", "message").find("Experiment/button has its requests") !=
        std::string::npos);
  CHECK(experiment.spec() == assigned);
  must(run({"delete", "canaryrelease", "second", "-n", stage.project()}));
  must(run({"delete", "experiment", "button", "-n", stage.project()}));
  must(run({"reconcile", "TrafficRoute/web", "-n", stage.project(), "--timeout=60s"}));
  CHECK(experiment.spec() == original);
}
