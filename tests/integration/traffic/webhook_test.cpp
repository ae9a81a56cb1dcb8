// Webhooks of the policy Steps: real receivers on this machine, and releases that wait for them.
#include "backend.hpp"
#include "looks.hpp"
#include "support/loopback_server.hpp"

using namespace traffic_test;
using kubist::testing::Connection;
using kubist::testing::LoopbackServer;
using kubist::testing::ReceivedRequest;

namespace {

/// Answers as the path says, and keeps what it was sent.
class Gate {
 public:
  std::string url(const std::string& manner) const { return m_server.url("/" + manner); }
  std::string pattern() const { return m_server.url("/*"); }
  std::vector<ReceivedRequest> sent(const std::string& manner) {
    const std::lock_guard lock(m_mutex);
    return m_sent[manner];
  }
  void open() { m_open = true; }

 private:
  void answer(const ReceivedRequest& request, Connection& connection) {
    const std::string path = kubist::util::split(request.head, '/')[1];
    const std::string manner = path.substr(0, path.find(' '));
    std::size_t count = 0;
    {
      const std::lock_guard lock(m_mutex);
      m_sent[manner].push_back(request);
      count = m_sent[manner].size();
    }
    if (manner == "slow") {
      connection.wait_for_close();
    } else if (manner == "moved") {
      connection.reply(302, "", cat("Location: ", url("elsewhere"), "\r\n"));
    } else {
      const bool passes = manner == "passes" || (manner == "second" && count > 1) ||
                          (manner == "confirm" && m_open);
      connection.reply(passes ? 200 : 403, passes ? "" : "load test failed");
    }
  }
  std::atomic<bool> m_open = false;
  std::mutex m_mutex;
  std::map<std::string, std::vector<ReceivedRequest>> m_sent;
  LoopbackServer m_server{
      [this](const auto& request, auto& connection) { answer(request, connection); }};
};

class Setting {
 public:
  explicit Setting(const std::string& test, const std::vector<std::string>& allowed) : stage(test) {
    stage.reconcile();
    for (const char* version : {"v1", "v2"}) {
      stage.ready_pod(cat("web-", version), {{"app", "web"}, {"version", version}});
    }
    stage.apply("Destination", "web", k_destination);
    must(kubectl("home", {"patch", "projects.kubist.io", stage.project(), "--type=merge", "-p",
                          Json{{"spec", {{"allow", {{"webhooks", allowed}}}}}}.dump()}));
  }
  /// A release with this webhook after 50 %.
  void add(const std::string& name, const std::string& url, const std::string& more = "") {
    stage.apply("TrafficRoute", name,
                cat("{hosts: [", name,
                    ".example.com], routes: [{weights: [{destination: web, version: v1}]}]}"));
    stage.apply("CanaryRelease", name,
                cat("{destination: web, stable: v1, canary: v2, routes: [", name,
                    "], interval: 1s, holdLimit: ", hold_limit,
                    ", bake: 1s, policies: [{name: Steps, "
                    "parameters: {steps: [{setWeight: 50}, {webhook: {name: gate, url: '",
                    url, "', metadata: {team: shop}", more, "}}]}}]}"));
  }
  std::string state(const std::string& name) {
    return text_of(stage.node("canaryreleases", name), {"status", "state"});
  }
  Stage stage;
  std::string hold_limit = "60s";
};

}  // namespace

TEST_CASE("webhooks: 2xx goes on after one call, and a refused one is called again") {
  Gate gate;
  Setting setting("hook-good", {gate.pattern()});
  setting.add("passes", gate.url("passes"));
  setting.add("second", gate.url("second"), ", retries: 1");
  const CommandResult run = setting.stage.reconcile("100s");
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK(setting.state("passes") == "Succeeded");
  CHECK(setting.state("second") == "Succeeded");

  REQUIRE(gate.sent("passes").size() == 1);
  const ReceivedRequest got = gate.sent("passes")[0];
  const Json body = Json::parse(got.body);
  CHECK(body["name"] == "passes");
  CHECK(body["namespace"] == setting.stage.project());
  CHECK((body["phase"] == "Progressing" || body["phase"] == "Waiting"));
  CHECK(body["metadata"] == Json{{"team", "shop"}});
  CHECK(body["checksum"] == got.header("webhook-id"));
  REQUIRE(gate.sent("second").size() == 2);
  CHECK(gate.sent("second")[0].header("webhook-id") == gate.sent("second")[1].header("webhook-id"));
}

TEST_CASE("webhooks: what is refused rolls back, and what cannot be asked holds until the limit") {
  Gate gate;
  std::string gone;
  {
    Gate before;
    gone = before.url("gone");
  }
  Setting setting("hook-bad", {gate.pattern(), gone, "http://169.254.169.254/*"});
  setting.hold_limit = "6s";
  struct Case {
    std::string name, url, more, reason, says;
  };
  const std::vector<Case> cases{
      {"refused", gate.url("refused"), "", "HookFailed", "status 403: load test failed"},
      {"moved", gate.url("moved"), "", "HookFailed", "status 302"},
      {"slow", gate.url("slow"), ", timeout: 1s", "Timeout", "no answer within 1 s"},
      {"gone", gone, "", "ConnectionRefused", "could not be reached"},
      {"foreign", "https://gate.example.com/", "", "AddressNotAllowed", "spec.allow.webhooks"},
      {"metadata", "http://169.254.169.254/", "", "AddressNotAllowed", "link-local"}};
  for (const Case& each : cases) {
    setting.add(each.name, each.url, each.more);
  }
  const CommandResult run = setting.stage.reconcile("120s");
  CHECK_MESSAGE(run.exit_code == 4, run.out, run.err);
  for (const Case& each : cases) {
    const auto release = setting.stage.node("canaryreleases", each.name);
    const std::string message = release->at("status")["history"].dump();
    CHECK_MESSAGE(setting.state(each.name) == "RolledBack", each.name, message);
    CHECK_MESSAGE(text_of(release, {"status", "reason"}) == each.reason, each.name, message);
    CHECK_MESSAGE(message.find(each.says) != std::string::npos, each.name, message);
  }
  CHECK(gate.sent("refused").size() == 1);
  CHECK(gate.sent("elsewhere").empty());
}

TEST_CASE("webhooks: a dry run and a trace call nobody, and all calls of a step have one id") {
  Gate gate;
  Setting setting("hook-kill", {gate.pattern()});
  Stage& stage = setting.stage;
  setting.add("confirm", gate.url("confirm"), ", type: confirm-traffic-increase");
  must(kubectl("home", {"patch", "canaryreleases.kubist.io", "confirm", "-n", stage.project(),
                        "--type=merge", "-p", R"({"spec":{"holdLimit":"10m"}})"}));
  REQUIRE(look_until(
      stage, "Project/" + stage.project(), [&] { return gate.sent("confirm").size() > 1; }, 90));
  CHECK(setting.state("confirm") == "Waiting");
  const auto sent = gate.sent("confirm").size();
  const CommandResult dry = run_kubist(stage.world().as_user(
      {"reconcile", "CanaryRelease/confirm", "-n", stage.project(), "--dry-run"}));
  CHECK_MESSAGE(dry.exit_code == 3, dry.out, dry.err);
  const CommandResult trace = run_kubist(
      stage.world().as_user({"policy", "trace", "CanaryRelease/confirm", "-n", stage.project()}));
  CHECK_MESSAGE(trace.exit_code == 0, trace.err);
  CHECK(gate.sent("confirm").size() == sent);
  gate.open();
  const CommandResult run = stage.reconcile("100s");
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK(setting.state("confirm") == "Succeeded");
  for (const ReceivedRequest& each : gate.sent("confirm")) {
    CHECK(each.header("webhook-id") == gate.sent("confirm")[0].header("webhook-id"));
  }
}
