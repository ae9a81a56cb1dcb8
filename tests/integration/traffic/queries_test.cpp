// What policies ask of a real Prometheus by queries of their own, while there are real requests.
#include <algorithm>
#include <numeric>

#include "load.hpp"
#include "looks.hpp"
#include "prometheus.hpp"

using namespace traffic_test;

namespace {

/// The share of a version's requests that failed, as Prometheus knows it from the gateway. Series
/// of errors come with the first one.
std::string share_of(const std::string& version) {
  const std::string cluster = cat(R"(envoy_cluster_upstream_rq{cluster_name="outbound|80|)",
                                  version, R"(|{{destination}}.{{namespace}}.svc.cluster.local)");
  return cat("(sum(", cluster, R"(",response_code_class="5xx"}) or vector(0)) / sum()", cluster,
             R"(",response_code_class!=""}))");
}

/// Asks for what its parameter names, and rolls back above its limit.
Json definition(const std::string& ns, const std::string& query) {
  return object(
      "PolicyDefinition", ns, "errors",
      {{"kinds", {"CanaryRelease"}},
       {"parameters",
        {{"properties", {{"version", {{"type", "string"}}}, {"limit", {{"type", "number"}}}}}}},
       {"metrics", Json::array({{{"name", "share"}, {"query", query}}})},
       {"runtime", {{"jsonnet", {{"source", R"(function(list)
         local share = list.functionConfig.metrics.share;
         list { functionConfig+: { status: if 'NotObserved' == std.get(share, 'reason') then {} else { decision:
           if !('value' in share) then
             { action: 'hold', reason: share.reason, message: share.message }
           else if share.value > list.functionConfig.parameters.limit then
             { action: 'rollback', reason: 'TooMany', message: '%.2f' % share.value }
           else { action: 'hold', reason: 'Fine' } } } })"}}}}}});
}

struct QueryOutcome {
  std::string state, reason, message;
};

QueryOutcome run_release(Stage& stage, const std::string& name, const std::string& policy,
                         const std::string& hold_limit = "60s") {
  stage.apply("CanaryRelease", name,
              cat("{destination: web, stable: v1, canary: v2, routes: [web], interval: 2s, "
                  "weights: [50], bake: 1s, holdLimit: ",
                  hold_limit, ", metrics: {prometheus: {namespace: ", stage.ns(),
                  ", service: 'prometheus:9090'}}, policies: [", policy, "]}"));
  const CommandResult run = run_kubist(stage.world().as_user(
      {"reconcile", "CanaryRelease/" + name, "-n", stage.project(), "--timeout=100s"}));
  const auto release = stage.node("canaryreleases", name);
  const QueryOutcome outcome{text_of(release, {"status", "state"}),
                             text_of(release, {"status", "reason"}),
                             text_of(release, {"status", "message"})};
  CHECK_MESSAGE(run.exit_code == (outcome.state == "Succeeded" ? 0 : 4),
                run_kubist({"canary", "status", name, "-n", stage.project()}).out, run.err);
  must(kubectl(
      "home", {"delete", "canaryreleases.kubist.io", name, "-n", stage.project(), "--wait=false"}));
  must(stage.reconcile());
  return outcome;
}

/// "{name: Metric, parameters: ...}" with the query as YAML.
std::string metric(const std::string& query, const std::string& range) {
  return cat("{name: Metric, parameters: {metrics: [{name: failing, query: ", Json(query).dump(),
             ", thresholdRange: ", range, "}]}}");
}

}  // namespace

TEST_CASE("queries: policies judge by what Prometheus answers to queries of their own") {
  Stage stage("queries");
  set_up(stage, 30);
  put("home", prometheus_service(stage.ns()));
  RealPrometheus prometheus;
  put("home", {definition(stage.project(), share_of("{{version}}"))});
  Load load(stage);

  const QueryOutcome bad = run_release(stage, "bad", metric(share_of("{{canary}}"), "{max: 0.1}"));
  CHECK(bad.state == "RolledBack");
  CHECK_MESSAGE(bad.reason == "ThresholdFailed", bad.message);

  const QueryOutcome good =
      run_release(stage, "good", metric(share_of("{{stable}}"), "{max: 0.1}"));
  CHECK_MESSAGE(good.state == "Succeeded", good.message);

  const QueryOutcome analysed = run_release(
      stage, "steps",
      cat("{name: Steps, parameters: {steps: [{setWeight: 50}, {analysis: {metrics: [{name: f, "
          "provider: {prometheus: {query: ",
          Json(share_of("{{canary}}")).dump(), "}}, successCondition: 'result[0] < 0.1'}]}}]}}"));
  CHECK(analysed.state == "RolledBack");
  CHECK_MESSAGE(analysed.reason == "AnalysisFailed", analysed.message);

  const QueryOutcome own =
      run_release(stage, "own", "{name: errors, parameters: {version: v2, limit: 0.1}}");
  CHECK(own.state == "RolledBack");
  CHECK_MESSAGE(own.reason == "TooMany", own.message);

  const QueryOutcome none = run_release(stage, "none", metric("no_such_metric", "{max: 1}"), "5s");
  CHECK(none.state == "RolledBack");
  CHECK_MESSAGE(none.reason == "NoData", none.message);
}

TEST_CASE("full: queries: the counters of twenty releases come in a few queries of one run" *
          doctest::skip()) {
  constexpr int k_releases = 20;
  Stage stage("queries-many");
  set_up(stage, 0);
  put("home", prometheus_service(stage.ns()));
  RealPrometheus prometheus;
  Load load(stage);
  const auto named = [](int number) { return cat("web-", number); };
  for (int i = 0; i < k_releases; ++i) {
    stage.apply("TrafficRoute", named(i),
                cat("{hosts: [", named(i),
                    ".example.com], routes: [{weights: [{destination: web, version: v1}]}]}"));
    stage.apply("CanaryRelease", named(i),
                cat("{destination: web, stable: v1, canary: v2, routes: [", named(i),
                    "], interval: 2s, weights: [50], holdLimit: 10m, metrics: {provider: "
                    "Prometheus, names: Envoy, prometheus: {namespace: ",
                    stage.ns(), ", service: 'prometheus:9090'}}}"));
  }
  Audit audit("home");
  static_cast<void>(stage.reconcile("30s"));
  // A query names the Service equally often for each release; the first one is of one alone.
  std::vector<std::size_t> names;
  for (const Json& request : audit.requests(stage.world().user())) {
    const std::string uri(data::string_at(request, {"requestURI"}));
    if (const auto query = uri.find("/proxy/api/v1/query?"); query != std::string::npos) {
      std::size_t& count = names.emplace_back();
      for (auto at = uri.find(stage.ns(), query); at != std::string::npos;
           at = uri.find(stage.ns(), at + 1)) {
        ++count;
      }
    }
  }
  REQUIRE(!names.empty());
  const std::size_t alone = *std::min_element(names.begin(), names.end());
  const std::size_t releases = std::accumulate(names.begin(), names.end(), std::size_t{0}) / alone;
  const std::size_t fullest = *std::max_element(names.begin(), names.end()) / alone;
  MESSAGE(names.size(), " queries about ", releases, " counters of releases, up to ", fullest,
          " in one");
  CHECK(releases >= 2 * k_releases);  // the beginning of a window and its end
  // A query in a URL may have 6,000 characters: nine releases of these names. Not all queries are
  // full, for on a slow machine the releases get out of step with each other.
  constexpr int k_fit = 9;
  CHECK(2 * fullest >= k_fit);
  CHECK(3 * names.size() <= releases);
  for (int i = 0; i < k_releases; ++i) {
    const auto release = stage.node("canaryreleases", named(i));
    const Json* series = data::find_path(*release, {"status", "cursor", "sample", "arms", "v1"});
    CHECK_MESSAGE((series != nullptr && !series->empty()), (*release)["status"].dump());
  }
}

TEST_CASE("queries: without a Prometheus to ask, and with a value that is not there, it says so") {
  Stage stage("queries-none");
  stage.reconcile();
  for (const char* version : {"v1", "v2"}) {
    stage.ready_pod(cat("web-", version), {{"app", "web"}, {"version", version}});
  }
  stage.apply("Destination", "web", k_destination);
  stage.apply("TrafficRoute", "web",
              "{hosts: [a.example.com], routes: [{weights: [{destination: web, version: v1}]}]}");
  must(stage.reconcile());
  const auto check_says = [&](const std::string& part, const std::string& query,
                              const std::string& metrics) {
    stage.apply("CanaryRelease", "web",
                cat("{destination: web, stable: v1, canary: v2, routes: [web], interval: 1s, "
                    "weights: [50], policies: [",
                    metric(query, "{max: 1}"), "]", metrics, "}"));
    std::string said;
    const bool says = look_until(stage, "CanaryRelease/web", [&] {
      said = it::message(stage.node("canaryreleases", "web"), "Ready");
      return said.find(part) != std::string::npos;
    });
    CHECK_MESSAGE(says, said);
  };
  check_says("spec.metrics.prometheus", "up", "");
  check_says(
      "{{jobb}} has no value", "up{job=\"{{jobb}}\"}",
      cat(", metrics: {prometheus: {namespace: ", stage.ns(), ", service: 'prometheus:9090'}}"));
}
