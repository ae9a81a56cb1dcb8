// What the controller shows of itself.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <kubist/http/curl_transport.hpp>
#include <kubist/util/log.hpp>
#include <kubist/util/text.hpp>

#include "controller/endpoint.hpp"
#include "controller/instruments.hpp"
#include "controller/telemetry.hpp"
#include "run_words.hpp"

using namespace kubist;
using namespace kubist::cli;

namespace {

struct Got {
  int status = 0;
  std::string body;
  std::string type;
};

Got get(const Endpoint& endpoint, const std::string& path) {
  const auto engine = std::make_shared<http::CurlEngine>();
  http::CurlTransport transport(engine, {});
  http::Request request;
  request.url = util::cat("http://", endpoint.address(), path);
  const auto response = http::send(transport, request);
  REQUIRE_MESSAGE(response, (response ? "" : response.error().to_string()));
  return {response->status, response->body,
          std::string(http::find_header(response->headers, "Content-Type").value_or(""))};
}

engine::NodeReport node(const std::string& kind, engine::NodeState state,
                        std::chrono::milliseconds took) {
  engine::NodeReport report;
  report.key = {"kubist.io", kind, "shop", "x"};
  report.state = state;
  report.took = took;
  return report;
}

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("controller: instruments print Prometheus' text form") {
  using Type = Instruments::Type;
  Instruments all({{"b_total", Type::counter, "Counts."},
                   {"a", Type::gauge, "Stands."},
                   {"unused", Type::gauge, "Is not there."},
                   {"t_seconds", Type::histogram, "Takes.", {0.1, 1}}});
  all.add("b_total", {{"code", "200"}, {"host", "x"}}, 1);
  all.add("b_total", {{"code", "200"}, {"host", "x"}}, 2);
  all.add("b_total", {{"code", "4\"\\\n"}, {"host", ""}}, 1);
  all.set("a", {}, 2.5);
  all.set("a", {}, 1048576);
  for (const double value : {0.05, 0.1, 0.5, 3.0}) {
    all.observe("t_seconds", {{"controller", "project"}}, value);
  }
  CHECK(all.text() == R"(# HELP b_total Counts.
# TYPE b_total counter
b_total{code="200",host="x"} 3
b_total{code="4\"\\\n",host=""} 1
# HELP a Stands.
# TYPE a gauge
a 1048576
# HELP t_seconds Takes.
# TYPE t_seconds histogram
t_seconds_bucket{controller="project",le="0.1"} 2
t_seconds_bucket{controller="project",le="1"} 3
t_seconds_bucket{controller="project",le="+Inf"} 4
t_seconds_sum{controller="project"} 3.65
t_seconds_count{controller="project"} 4
)");
}

TEST_CASE("controller: a run counts by kind and result") {
  Telemetry telemetry;
  executors::Run run;
  run.report.nodes = {node("Project", engine::NodeState::done, std::chrono::milliseconds(20)),
                      node("CanaryRelease", engine::NodeState::done, std::chrono::milliseconds(1)),
                      node("Cluster", engine::NodeState::failed, std::chrono::milliseconds(7)),
                      node("VirtualCluster", engine::NodeState::blocked, {})};
  run.report.nodes[1].requeue_after = std::chrono::seconds(5);
  run.report.summary.failed = 1;
  run.report.summary.writes = 3;
  telemetry.finished(run);
  telemetry.starting({{run.report.nodes[2].key, engine::Cause::retry}});
  telemetry.turned({4, 9, 1, 2, 3, true});
  telemetry.home("https://10.0.0.1:6443");
  telemetry.requested("GET", "https://10.0.0.1:6443/api?token=secret", 200);
  telemetry.requested("PUT", "https://api.example.com/api", 0);
  telemetry.requested("PUT", "https://invented.example.com/api", 0);
  const std::string text = telemetry.text();
  for (
      const char* line :
      {R"(controller_runtime_reconcile_total{controller="project",result="success"} 1)",
       R"(controller_runtime_reconcile_total{controller="canaryrelease",result="requeue_after"} 1)",
       R"(controller_runtime_reconcile_total{controller="cluster",result="error"} 1)",
       R"(controller_runtime_reconcile_errors_total{controller="cluster"} 1)",
       R"(controller_runtime_reconcile_errors_total{controller="project"} 0)",
       R"(controller_runtime_reconcile_time_seconds_bucket{controller="cluster",le="0.01"} 1)",
       R"(controller_runtime_reconcile_time_seconds_count{controller="cluster"} 1)",
       R"(workqueue_retries_total{name="kubist",controller="kubist"} 1)",
       R"(workqueue_depth{name="kubist",controller="kubist"} 4)",
       R"(workqueue_adds_total{name="kubist",controller="kubist"} 9)",
       R"(rest_client_requests_total{code="200",method="GET",host="10.0.0.1:6443"} 1)",
       R"(rest_client_requests_total{code="<error>",method="PUT",host="other"} 2)",
       R"(kubist_runs_total{result="error"} 1)", "kubist_writes_total 3", "kubist_projects 2",
       "kubist_replicas 3"}) {
    CHECK_MESSAGE(has_line(text, line), text);
  }
  CHECK(text.find("virtualcluster") == std::string::npos);
  CHECK(text.find("example.com") == std::string::npos);
  CHECK(text.find("secret") == std::string::npos);
  CHECK(text.find("process_resident_memory_bytes ") != std::string::npos);
}

TEST_CASE("controller: pages are served where it listens, others are not found") {
  int asked = 0;
  const auto endpoint =
      Endpoint::listen("127.0.0.1:0", {{"/metrics",
                                        [&] {
                                          ++asked;
                                          return Page{200, "a 1\n", "text/plain; version=0.0.4"};
                                        }},
                                       {"/readyz", [] {
                                          return Page{503, "not yet\n"};
                                        }}});
  REQUIRE_MESSAGE(endpoint, (endpoint ? "" : endpoint.error().to_string()));
  CHECK((*endpoint)->address() != "127.0.0.1:0");
  const Got metrics = get(**endpoint, "/metrics");
  CHECK(metrics.status == 200);
  CHECK(metrics.body == "a 1\n");
  CHECK(metrics.type == "text/plain; version=0.0.4");
  CHECK(get(**endpoint, "/readyz").status == 503);
  CHECK(get(**endpoint, "/readyz").body == "not yet\n");
  CHECK(get(**endpoint, "/other").status == 404);
  CHECK(get(**endpoint, "/metrics?x=y").status == 200);
  CHECK(asked == 2);

  const auto taken = Endpoint::listen((*endpoint)->address(), {});
  REQUIRE(!taken);
  CHECK(taken.error().kind == util::ErrorKind::unavailable);
  CHECK(taken.error().to_string().find("--bind-address") != std::string::npos);
  for (const char* bad : {"8080", "localhost", "x:y", ":70000", ""}) {
    CHECK(Endpoint::listen(bad, {}).error().kind == util::ErrorKind::usage);
  }
}

TEST_CASE("controller: requests that take long do not keep a probe waiting") {
  std::atomic<int> entered = 0;
  std::atomic<bool> done = false;
  const auto hang = [&] {
    ++entered;
    done.wait(false);
    return Page{};
  };
  const auto endpoint =
      Endpoint::listen("127.0.0.1:0", {{"/hang", hang}, {"/healthz", [] {
                                                           return Page{200, "ok\n"};
                                                         }}});
  REQUIRE(endpoint);
  const std::string address = (*endpoint)->address();
  const auto engine = std::make_shared<http::CurlEngine>();
  http::CurlTransport transport(engine, {});
  std::vector<http::Call> calls;
  for (int i = 0; i < 7; ++i) {
    http::Request request;
    request.url = util::cat("http://", address, "/hang");
    calls.push_back(transport.start(request, [](const auto&) {}));
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (entered < 7 && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
  }
  CHECK(entered == 7);
  if (entered == 7) {
    CHECK(get(**endpoint, "/healthz").body == "ok\n");
  }
  done = true;
  done.notify_all();
}

TEST_CASE("controller: a page that throws is an error of its request, the next one is answered") {
  const auto endpoint =
      Endpoint::listen("127.0.0.1:0", {{"/bad", []() -> Page { throw 1; }},
                                       {"/worse", []() -> Page { throw std::bad_alloc(); }},
                                       {"/healthz", [] {
                                          return Page{200, "ok\n"};
                                        }}});
  REQUIRE(endpoint);
  CHECK(get(**endpoint, "/bad").status == 500);
  CHECK(get(**endpoint, "/worse").status == 500);
  CHECK(get(**endpoint, "/healthz").body == "ok\n");
}

TEST_CASE("controller: an endpoint ends also before it was asked for anything") {
  for (int i = 0; i < 50; ++i) {
    CHECK(Endpoint::listen("127.0.0.1:0", {}));
  }
}

TEST_CASE("controller: log lines are JSON where that is asked for") {
  std::string out;
  util::Log log(6, [&](std::string_view line) { out += line; });
  log.set_form(util::LogForm::json);
  log.line("a \"b\"\\\n\tc\x1b");
  log.warn("w");
  log.error("e");
  log.trace(6, "t");
  std::vector<data::Json> lines;
  for (const std::string_view line : util::split(util::trim(out), '\n')) {
    lines.push_back(data::Json::parse(line));
  }
  REQUIRE(lines.size() == 4);
  CHECK(lines[0]["msg"] == "a \"b\"\\\n\tc\\x1b");
  CHECK(lines[0]["level"] == "info");
  CHECK(lines[0]["ts"].get<std::string>().ends_with("Z"));
  CHECK(lines[1]["level"] == "warn");
  CHECK(lines[2]["level"] == "error");
  CHECK(lines[2]["msg"] == "e");
  CHECK(lines[3]["level"] == "debug");
}

TEST_CASE("controller: it takes no words, and no other form of logs") {
  CHECK(testing::run_words({"controller", "project/shop"}).code == 64);
  CHECK(testing::run_words({"controller", "--log-format", "xml"}).code == 64);
}
