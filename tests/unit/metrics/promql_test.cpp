#include <doctest/doctest.h>

#include <kubist/metrics/promql.hpp>

using namespace kubist::metrics;
using What = Measure::What;

namespace {

Subject subject() { return {"shop", "web.shop.svc.cluster.local", {"v1", "v2"}, {}, {}, {}}; }

std::string query(const char* name, Names names, int window = 0, const Subject& of = subject()) {
  const auto measure = find_measure(name);
  REQUIRE_MESSAGE(measure, name);
  const auto text =
      measure_query(*measure, of, "v2", names, "destination", std::chrono::seconds(window));
  REQUIRE_MESSAGE(text, name);
  return *text;
}

std::string problem(const char* text, const std::map<std::string, std::string>& values) {
  const auto filled = fill_template(text, values);
  return filled ? "" : filled.error().message;
}

}  // namespace

TEST_CASE("promql: values are literals that cannot be left") {
  CHECK(promql_quote("a\"b\\c\nd") == R"("a\"b\\c\nd")");
  CHECK(regex_literal("web.shop|x(1)") == R"(web\.shop\|x\(1\))");
}

TEST_CASE("promql: a template's places take values as its quotes want them") {
  const std::map<std::string, std::string> values{{"version", R"(v"1\)"},
                                                  {"interval", "1m30s"},
                                                  {"limit", "0.5"},
                                                  {"tick", "a`b"},
                                                  {"code", "1+2"}};
  CHECK(
      *fill_template(R"(sum(rate(m{v="{{version}}",w='{{ version }}'}[{{interval}}])) > {{limit}})",
                     values) == R"(sum(rate(m{v="v\"1\\",w='v"1\\'}[1m30s])) > 0.5)");
  CHECK(*fill_template(R"(m{a="\"{{limit}}"})", values) == R"(m{a="\"0.5"})");
  CHECK(*fill_template("m{a=`{{version}}`}", values) == R"(m{a=`v"1\`})");
  CHECK(*fill_template("plain", {}) == "plain");
  CHECK(problem("m{a=`{{tick}}`}", values).find("backtick") != std::string::npos);
  CHECK(problem("m + {{code}}", values).find("neither a number nor a duration") !=
        std::string::npos);
  CHECK(problem("m[{{version}}]", values).find("outside quotes") != std::string::npos);
  CHECK(problem(R"(m{a="{{versoin}}"})", values).find("did you mean \"version\"") !=
        std::string::npos);
  CHECK(problem("{{open", values).find("'}}'") != std::string::npos);
}

TEST_CASE("promql: names of measures, Vamp's among them") {
  CHECK(find_measure("requests") == Measure{What::requests, "", ""});
  CHECK(find_measure("errors") == Measure{What::errors, "", ""});
  CHECK(find_measure("requests_2xx") == Measure{What::requests, "2xx", ""});
  CHECK(find_measure("requests_get") == Measure{What::requests, "", "get"});
  CHECK(find_measure("requests_get_200") == Measure{What::requests, "200", "get"});
  CHECK(find_measure("response_code_500") == Measure{What::requests, "500", ""});
  CHECK(find_measure("response_duration_post_5xx") == Measure{What::duration, "5xx", "post"});
  CHECK(find_measure("internal_upstream_rq_2xx") == Measure{What::requests, "2xx", ""});
  CHECK(find_measure("external_upstream_rq_503") == Measure{What::requests, "503", ""});
  CHECK(find_measure("upstream_rq_total") == Measure{What::requests, "", ""});
  CHECK(find_measure("availability") == Measure{What::availability, "", ""});
  for (const char* none :
       {"", "request", "requests_", "requests_6xx", "requests_2x", "requests_fetch",
        "requests_get_", "upstream_rq_get", "response_code_20", "cpu_2xx"}) {
    CHECK_MESSAGE(!find_measure(none), none);
  }
}

TEST_CASE("promql: built-in queries with Istio's names") {
  CHECK(
      query("requests", Names::istio) ==
      R"(sum(istio_requests_total{reporter="destination",destination_service="web.shop.svc.cluster.local",destination_version="v2",response_code!="0"}))");
  CHECK(
      query("latency", Names::istio, 60) ==
      R"(sum by (le) (rate(istio_request_duration_milliseconds_bucket{reporter="destination",destination_service="web.shop.svc.cluster.local",destination_version="v2"}[60s])))");
  Subject known = subject();
  known.workloads["v2"] = "web-b";
  const std::string posts = query("requests_post_5xx", Names::istio, 0, known);
  CHECK(posts.find(R"(destination_workload="web-b",request_method="POST",response_code=~"5..")") !=
        std::string::npos);
  // No error series yet: 0 while there are requests, and nothing while there are none.
  CHECK(posts.find(" or 0 * sum(istio_requests_total{") != std::string::npos);
  const std::string errors = query("errors", Names::istio);
  CHECK(errors.find(R"(response_code=~"5..",response_flags!~".*DC.*")") != std::string::npos);
  CHECK(errors.find(R"(grpc_response_status=~"2|4|12|13|14|15")") != std::string::npos);
}

TEST_CASE("promql: built-in queries with Envoy's names, under both sorts of tags") {
  const std::string errors = query("errors", Names::envoy, 30);
  CHECK(
      errors.find(
          R"(rate(envoy_cluster_upstream_rq{cluster_name=~"outbound\\|[0-9]+\\|v2\\|web\\.shop\\.svc\\.cluster\\.local",response_code_class="5xx"}[30s]))") !=
      std::string::npos);
  CHECK(errors.find(R"(envoy_cluster_upstream_rq_xx{envoy_cluster_name=~)") != std::string::npos);
  CHECK(errors.find(R"(envoy_response_code_class="5"})") != std::string::npos);
  CHECK(query("response_code_503", Names::envoy).find(R"(,response_code="503"})") !=
        std::string::npos);
  for (const char* name : {"requests_get", "response_duration_2xx", "cpu"}) {
    CHECK_FALSE(measure_query(*find_measure(name), subject(), "v2", Names::envoy));
  }
  CHECK_FALSE(measure_query({}, subject(), "v3", Names::istio));
}
