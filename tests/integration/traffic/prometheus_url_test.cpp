// Releases and experiments that name a Prometheus by its address: what the Project allows, what
// credentials it gets, and what is said where it cannot be asked.
#include "backend.hpp"
#include "support/loopback_server.hpp"

using namespace traffic_test;
using kubist::testing::Connection;
using kubist::testing::LoopbackServer;
using kubist::testing::ReceivedRequest;

namespace {

const char* const k_token = "a-very-secret-token";

/// A Prometheus on this machine that keeps, by the first part of the path, the
/// credentials that came with a query.
class Prometheus {
 public:
  /// It has counters of the stage's Service `web`.
  explicit Prometheus(Stage& stage) : m_host(cat("web.", stage.ns(), ".svc.cluster.local")) {}
  std::string url(const std::string& manner) const { return m_server.url("/" + manner); }
  std::string pattern() const { return m_server.url("/*"); }
  std::string authorization(const std::string& manner) {
    const std::lock_guard lock(m_mutex);
    return m_authorization[manner];
  }
  bool was_asked(const std::string& manner) {
    const std::lock_guard lock(m_mutex);
    return m_authorization.contains(manner);
  }

 private:
  void answer(const ReceivedRequest& request, Connection& connection) {
    const std::string manner = kubist::util::split(request.head, '/')[1];
    const std::string authorization = request.header("Authorization");
    {
      const std::lock_guard lock(m_mutex);
      m_authorization[manner] = authorization;
    }
    Json result = Json::array({point(Json::object(), "7")});
    if (request.head.find("istio_requests_total") != std::string::npos) {
      result = Json::array({counter("v1"), counter("v2"),
                            point({{"kubist", "time"}, {"destination_service", m_host}},
                                  std::to_string(std::time(nullptr)))});
    }
    connection.reply(
        200, Json{{"status", "success"}, {"data", {{"resultType", "vector"}, {"result", result}}}}
                 .dump());
  }
  static Json point(const Json& labels, const std::string& value) {
    return {{"metric", labels}, {"value", {std::time(nullptr), value}}};
  }
  Json counter(const std::string& version) const {
    return point({{"__name__", "istio_requests_total"},
                  {"destination_service", m_host},
                  {"destination_version", version},
                  {"response_code", "200"}},
                 std::to_string(10 * std::time(nullptr)));
  }
  const std::string m_host;
  std::mutex m_mutex;
  std::map<std::string, std::string> m_authorization;
  LoopbackServer m_server{
      [this](const auto& request, auto& connection) { answer(request, connection); }};
};

/// What a release gives as its reason, and what it says.
struct UrlOutcome {
  std::string state, reason, all;
};

class Setting {
 public:
  explicit Setting(const std::string& test) : stage(test) {
    stage.reconcile();
    for (const char* version : {"v1", "v2"}) {
      stage.ready_pod(cat("web-", version), {{"app", "web"}, {"version", version}});
    }
    stage.apply("Destination", "web", k_destination);
    put("home",
        {{{"apiVersion", "v1"},
          {"kind", "Secret"},
          {"metadata", {{"name", "prometheus"}, {"namespace", stage.project()}}},
          {"stringData",
           {{"token", k_token}, {"basic", "Basic dTpw\n"}, {"lines", "a\r\nX-Other: b"}}}}});
  }
  void allow(const std::vector<std::string>& patterns) {
    must(kubectl("home", {"patch", "projects.kubist.io", stage.project(), "--type=merge", "-p",
                          Json{{"spec", {{"allow", {{"metrics", patterns}}}}}}.dump()}));
  }
  void add(const std::string& name, const std::string& url, const std::string& key = "") {
    stage.apply("TrafficRoute", name,
                cat("{hosts: [", name,
                    ".example.com], routes: [{weights: [{destination: web, version: v1}]}]}"));
    const std::string secret =
        key.empty() ? "" : cat(", authorizationSecretRef: {name: prometheus, key: ", key, "}");
    stage.apply("CanaryRelease", name,
                cat("{destination: web, stable: v1, canary: v2, routes: [", name,
                    "], interval: 1s, holdLimit: 4s, bake: 1s, weights: [50], policies: [{name: "
                    "Metric, parameters: {metrics: [{name: queue, query: 'up', thresholdRange: "
                    "{max: 7}}]}}], metrics: {provider: Prometheus, prometheus: {url: '",
                    url, "'", secret, "}}}"));
  }
  UrlOutcome outcome(const std::string& name) {
    const auto release = stage.node("canaryreleases", name);
    const std::string all = release->dump();
    CHECK_MESSAGE(all.find(k_token) == std::string::npos, all);
    return {text_of(release, {"status", "state"}), text_of(release, {"status", "reason"}), all};
  }
  Stage stage;
};

}  // namespace

TEST_CASE("prometheus by url: it gets the Secret's credentials, and nobody sees them") {
  Setting setting("url-good");
  Prometheus prometheus(setting.stage);
  setting.allow({prometheus.pattern()});
  setting.add("open", prometheus.url("open"));
  setting.add("token", prometheus.url("token"), "token");
  setting.add("basic", prometheus.url("basic/"), "basic");
  const CommandResult run = setting.stage.reconcile("100s");
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  for (const char* name : {"open", "token", "basic"}) {
    const UrlOutcome outcome = setting.outcome(name);
    CHECK_MESSAGE(outcome.state == "Succeeded", name, outcome.reason, outcome.all);
  }
  CHECK(prometheus.authorization("open") == "");
  CHECK(prometheus.authorization("token") == cat("Bearer ", k_token));
  CHECK(prometheus.authorization("basic") == "Basic dTpw");
  CHECK((run.out + run.err).find(k_token) == std::string::npos);
}

TEST_CASE("prometheus by url: an experiment's goals ask it, too") {
  Setting setting("url-goals");
  Stage& stage = setting.stage;
  Prometheus prometheus(setting.stage);
  stage.apply("TrafficRoute", "web",
              "{hosts: [a.example.com], routes: [{weights: [{destination: web, version: v1}]}]}");
  stage.apply("Experiment", "button",
              cat("{route: web, variants: [{name: control, destination: web, version: v1}, {name: "
                  "green, destination: web, version: v2}], interval: 1h, maxDuration: 2h, goals: "
                  "[{name: orders, count: 'c', successes: 's', source: {prometheus: {url: '",
                  prometheus.url("token"),
                  "', authorizationSecretRef: {name: prometheus, key: token}}}}]}"));
  const auto look = [&] {
    stage.reconcile("20s");
    return stage.node("experiments", "button");
  };
  REQUIRE(eventually(
      [&] {
        return text_of(look(), {"status", "reason"}) == "AddressNotAllowed";
      },
      60));
  CHECK_FALSE(prometheus.was_asked("token"));
  setting.allow({prometheus.pattern()});
  REQUIRE(eventually(
      [&] {
        return !text_of(look(), {"status", "readAt"}).empty() && prometheus.was_asked("token");
      },
      60));
  CHECK(prometheus.authorization("token") == cat("Bearer ", k_token));
}
