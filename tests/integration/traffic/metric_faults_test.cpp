// What a Prometheus can answer but numbers: a release holds with that reason, and rolls back after
// its limit. An Envoy in a pod plays each of them.
#include "backend.hpp"

using namespace traffic_test;

namespace {

/// One way not to answer.
struct Fault {
  std::string name;  ///< of the Service, the route and the release
  int status;        ///< 0: nobody listens
  std::string body;
  std::string reason;  ///< that the release shall give
  bool slow = false;
};

const std::vector<Fault>& faults() {
  static const std::vector<Fault> k_faults{
      {"html", 200, "<html>sign in</html>", "Html"},
      {"unprocessable", 422,
       R"({"status":"error","errorType":"execution","error":"too many samples"})", "CannotExecute"},
      {"nan", 200,
       R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{"__name__":)"
       R"("istio_requests_total","destination_service":"HOST","destination_version":"v1",)"
       R"("response_code":"200"},"value":[TIME,"NaN"]}]}})",
       "NotANumber"},
      {"empty", 200, R"({"status":"success","data":{"resultType":"vector","result":[]}})",
       "NoData"},
      {"slow", 200, "{}", "Timeout", true},
      {"gone", 0, "", "Unreachable"}};
  return k_faults;
}

Json listener(const Fault& fault, int port, const std::string& host) {
  std::string body = kubist::util::replace_all(fault.body, "HOST", host);
  body = kubist::util::replace_all(body, "TIME", std::to_string(std::time(nullptr)));
  return envoy_listener(port, Json::array({envoy_answer({{"prefix", "/"}}, fault.status, body)}),
                        fault.slow ? "60s" : "");
}

/// One pod with a port for each fault, and a Service in front of each.
void start_liars(Stage& stage) {
  constexpr int k_first_port = 9001;
  std::vector<Json> objects;
  Json listeners = Json::array();
  int port = k_first_port;
  for (const Fault& fault : faults()) {
    if (fault.status != 0) {
      listeners.push_back(listener(fault, port, cat("web.", stage.ns(), ".svc.cluster.local")));
    }
    objects.push_back({{"apiVersion", "v1"},
                       {"kind", "Service"},
                       {"metadata", {{"name", fault.name}, {"namespace", stage.ns()}}},
                       {"spec",
                        {{"selector", {{"app", fault.status == 0 ? "nobody" : "liar"}}},
                         {"ports", Json::array({{{"port", 80}, {"targetPort", port}}})}}}});
    ++port;
  }
  objects.push_back(envoy_pod(stage.ns(), "liar", {{"app", "liar"}}, listeners,
                              {{"tcpSocket", {{"port", k_first_port}}}, {"periodSeconds", 1}}));
  put("home", objects);
  must(kubectl("home",
               {"wait", "pod/liar", "-n", stage.ns(), "--for=condition=Ready", "--timeout=120s"}));
}

}  // namespace

TEST_CASE(
    "metric faults: what cannot be read holds a release with its reason, then takes it back") {
  Stage stage("metric-faults");
  stage.reconcile();
  for (const char* version : {"v1", "v2"}) {
    stage.ready_pod(cat("web-", version), {{"app", "web"}, {"version", version}});
  }
  start_liars(stage);
  stage.apply("Destination", "web", k_destination);
  for (const Fault& fault : faults()) {
    stage.apply("TrafficRoute", fault.name,
                cat("{hosts: [", fault.name,
                    ".example.com], routes: [{weights: [{destination: web, version: v1}]}]}"));
  }
  must(stage.reconcile());
  for (const Fault& fault : faults()) {
    stage.apply(
        "CanaryRelease", fault.name,
        cat("{destination: web, stable: v1, canary: v2, routes: [", fault.name,
            "], interval: 1s, holdLimit: 4s, weights: [50], metrics: {provider: Prometheus, "
            "prometheus: {namespace: ",
            stage.ns(), ", service: '", fault.name, ":80'}}}"));
  }
  const CommandResult run = stage.reconcile("120s");
  CHECK_MESSAGE(run.exit_code == 4, run.out, run.err);
  for (const Fault& fault : faults()) {
    CAPTURE(fault.name);
    const auto release = stage.node("canaryreleases", fault.name);
    CHECK(text_of(release, {"status", "state"}) == "RolledBack");
    CHECK_MESSAGE(text_of(release, {"status", "reason"}) == fault.reason,
                  text_of(release, {"status", "message"}));
    CHECK(text_of(stage.node("trafficroutes", fault.name), {"status", "weights"}) ==
          "web v1 100 %");
  }
}
