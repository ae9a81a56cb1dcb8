#include <doctest/doctest.h>

#include <kubist/http/guarded_transport.hpp>
#include <kubist/http/url.hpp>
#include <kubist/metrics/prometheus.hpp>
#include <kubist/util/text.hpp>

#include "prometheus_reply.hpp"
#include "support/fake_transport.hpp"

using namespace kubist::metrics;
namespace http = kubist::http;
namespace kube = kubist::kube;
namespace util = kubist::util;
using kubist::testing::FakeTransport;

namespace {

class FixedClock : public util::Clock {
 public:
  std::chrono::system_clock::time_point now() const override {
    return std::chrono::system_clock::time_point(std::chrono::milliseconds(1'800'000'000'250));
  }
  std::chrono::steady_clock::time_point monotonic() const override { return {}; }
  util::BootClock::time_point boot() const override { return {}; }
};
const FixedClock k_clock;

struct PrometheusSetting {
  std::shared_ptr<FakeTransport> fake = std::make_shared<FakeTransport>();
  std::shared_ptr<Prometheus> prometheus;

  explicit PrometheusSetting(PrometheusOptions options = {}) {
    options.clock = &k_clock;
    prometheus = *Prometheus::direct(fake, "http://user:secret@prom.example.com/base/",
                                     {{"X-Scope-OrgID", "shop"}}, options);
  }
  void answer(int status, const std::string& body) {
    fake->reply("GET", "/base/api/v1/query", status, body);
  }
};

std::string vector(const std::string& elements, const std::string& more = "") {
  return util::cat(R"({"status":"success","data":{"resultType":"vector","result":[)", elements,
                   "]}", more, '}');
}

std::string counter(const std::string& version, const std::string& labels, const std::string& value,
                    const std::string& pod = "web-1", const std::string& job = "pods") {
  return util::cat(R"({"metric":{"__name__":"istio_requests_total","destination_service":)",
                   R"("web.shop.svc.cluster.local","namespace":"shop","pod":")", pod,
                   R"(","job":")", job, R"(","destination_version":")", version, "\"", labels,
                   R"(},"value":[1800000000.25,")", value, "\"]}");
}

std::string scraped(const std::string& value) {
  return util::cat(R"({"metric":{"kubist":"time","destination_service":)",
                   R"("web.shop.svc.cluster.local"},"value":[1800000000.25,")", value, "\"]}");
}

Subject subject(const std::string& name = "web") {
  return {"shop", name + ".shop.svc.cluster.local", {"v1", "v2"}, {}, {}, {}};
}

std::string reason(const Expected<double>& value) { return value ? "" : value.error().reason; }

}  // namespace

TEST_CASE("prometheus: one number, and every way not to get it has its own reason") {
  struct Case {
    int status;
    std::string body;
    std::string_view reason;
  };
  const std::string one = R"({"metric":{},"value":[1.5,"12.5"]})";
  const Case cases[] = {
      {200, vector(""), k_reason_no_data},
      {200, vector(one + "," + one), k_reason_several},
      {200, vector(R"({"metric":{},"value":[1.5,"NaN"]})"), k_reason_not_a_number},
      {200, vector(R"({"metric":{},"value":[1.5,"+Inf"]})"), k_reason_not_a_number},
      {200, vector(R"({"metric":{},"histogram":[1.5,{"count":"1"}]})"), k_reason_native_histogram},
      {200, vector(one, R"(,"warnings":["a store is missing"])"), k_reason_warnings},
      {200, R"({"status":"success","data":{"resultType":"matrix","result":[]}})",
       k_reason_wrong_type},
      {200, R"({"status":"success","data":{"resultType":"string","result":[1,"x"]}})",
       k_reason_wrong_type},
      {200, R"({"status":"success","data":{"resultType":"vector"}})", k_reason_not_metrics},
      {200, R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{}}]}})",
       k_reason_not_metrics},
      {200, vector(R"({"metric":{},"value":[1.5,"x"]})"), k_reason_not_metrics},
      {200, "<!doctype html><html>log in</html>", k_reason_html},
      {302, "", k_reason_not_metrics},
      {200, "ok", k_reason_not_metrics},
      {200, "", k_reason_not_metrics},
      {400, R"({"status":"error","errorType":"bad_data","error":"parse error"})",
       k_reason_bad_query},
      {422, R"({"status":"error","errorType":"execution","error":"many-to-many"})",
       k_reason_cannot_execute},
      {503, R"({"status":"error","errorType":"timeout","error":"query timed out"})",
       k_reason_timeout},
      {503, R"({"status":"error","errorType":"canceled","error":"shutting down"})",
       k_reason_canceled},
      {500, R"({"status":"error","errorType":"internal","error":"x"})", k_reason_error},
      {404, "404 page not found", k_reason_not_found},
      {401, "Unauthorized", k_reason_forbidden},
      {502, "<html>Bad Gateway</html>", k_reason_html},
      {504, "upstream request timeout", k_reason_timeout},
      {503, "no healthy upstream", k_reason_unreachable},
      {503,
       R"({"kind":"Status","reason":"ServiceUnavailable","message":"no endpoints available for service \"prometheus\"","code":503})",
       k_reason_unreachable},
      {403,
       R"({"kind":"Status","reason":"Forbidden","message":"services is forbidden","code":403})",
       k_reason_forbidden},
      {404,
       R"({"kind":"Status","reason":"NotFound","message":"services \"prom\" not found","code":404})",
       k_reason_not_found},
  };
  for (const Case& each : cases) {
    PrometheusSetting setting;
    setting.answer(each.status, each.body);
    const auto value = setting.prometheus->query("up", {});
    REQUIRE_MESSAGE(!value, each.body);
    CHECK_MESSAGE(value.error().reason == each.reason, each.body, value.error().message);
    CHECK(value.error().verdict == Verdict::inconclusive);
    CHECK_FALSE(value.error().message.empty());
    CHECK(value.error().message.find("secret") == std::string::npos);
  }
  PrometheusSetting setting;
  std::string many = one;
  while (many.size() < std::size_t{10} << 20U) {
    many += ',' + many;
  }
  setting.answer(200, vector(many));  // as values it would take a gigabyte
  CHECK(reason(setting.prometheus->query("up", {})) == k_reason_not_metrics);
  setting.answer(200, vector(one));
  setting.answer(200, R"({"status":"success","data":{"resultType":"scalar","result":[1.5,"3"]}})");
  CHECK(setting.prometheus->query("up", {}) == 12.5);
  CHECK(setting.prometheus->query("3", {}) == 3.0);
}

TEST_CASE("prometheus: warnings may be allowed") {
  PrometheusOptions options;
  options.allow_warnings = true;
  PrometheusSetting setting(options);
  setting.answer(200, vector(R"({"metric":{},"value":[1.5,"1"]})", R"(,"warnings":["partial"])"));
  CHECK(setting.prometheus->query("up", {}) == 1.0);
}

TEST_CASE("prometheus: credentials that it sends back are not said") {
  const auto fake = std::make_shared<FakeTransport>();
  const auto prometheus =
      *Prometheus::direct(fake, "http://prom.example.com", {{"Authorization", "Bearer abc123"}});
  fake->reply("GET", "/api/v1/query", 422,
              R"({"status":"error","errorType":"execution","error":"not you, Bearer abc123"})");
  const auto value = prometheus->query("up", {});
  REQUIRE(!value);
  CHECK(value.error().message.find("abc123") == std::string::npos);
  CHECK(value.error().message.find("not you, Bearer ***") != std::string::npos);
  CHECK(http::find_header(fake->sent().front().headers, "Authorization") == "Bearer abc123");
}

TEST_CASE("prometheus: an address that is not to be asked has its own reason") {
  PrometheusSetting setting;
  setting.fake->handle("GET", "*", [](const http::Request&) {
    util::Error error = util::make_error(util::ErrorKind::forbidden, "no");
    error.reason = http::k_failure_address;
    return util::Result<http::Response>(tl::unexpect, error);
  });
  CHECK(reason(setting.prometheus->query("up", {})) == "AddressNotAllowed");
}

TEST_CASE("prometheus: a Prometheus that is away is asked once about many subjects") {
  PrometheusSetting setting;
  setting.fake->handle("GET", "*", [](const http::Request&) {
    return util::Result<http::Response>(
        tl::unexpect, util::make_error(util::ErrorKind::unavailable, "nobody is there"));
  });
  std::vector<Subject> many;
  for (int i = 0; i < 100; ++i) {
    many.push_back(subject(util::cat("web-", i)));
  }
  const auto samples = setting.prometheus->samples(many, {});
  REQUIRE(samples.size() == many.size());
  for (const auto& sample : samples) {
    REQUIRE(!sample);
    CHECK(sample.error().reason == k_reason_unreachable);
  }
  CHECK(setting.fake->sent().size() == 1);
}

TEST_CASE("prometheus: no answer at all has its reason too, without the query's text") {
  const auto failing = [](util::ErrorKind kind, std::string_view reason) {
    PrometheusSetting setting;
    setting.fake->handle("GET", "*", [kind, reason](const http::Request& request) {
      util::Error error = util::make_error(kind, "GET " + http::redacted(request.url) + ": no");
      error.reason = reason;
      return util::Result<http::Response>(tl::unexpect, error);
    });
    return setting.prometheus->query("a_long_query", {});
  };
  const auto refused = failing(util::ErrorKind::unavailable, http::k_failure_refused);
  CHECK(reason(refused) == k_reason_unreachable);
  CHECK(refused.error().message == "GET http://***@prom.example.com/base/api/v1/query: no");
  CHECK(reason(failing(util::ErrorKind::timeout, "")) == k_reason_timeout);
  CHECK(reason(failing(util::ErrorKind::cancelled, "")) == k_reason_cancelled);
}

TEST_CASE("prometheus: an answer has a limit, as it takes many times its length in memory") {
  auto fake = std::make_shared<FakeTransport>();
  const auto prometheus = *Prometheus::direct(fake, "http://prometheus.example.com", {});
  CHECK_FALSE(prometheus->query("up", {}));
  CHECK(fake->sent().at(0).max_body == std::size_t{16} << 20U);
}

TEST_CASE("prometheus: where the answer about many is too long, it asks about fewer") {
  PrometheusSetting setting;
  setting.fake->handle("GET", "*", [](const http::Request& request) {
    const bool of_both = request.url.find("web") != std::string::npos &&
                         request.url.find("zoo") != std::string::npos;
    return of_both ? util::Result<http::Response>(
                         util::fail(util::ErrorKind::unavailable, "GET: it is too long", "",
                                    std::string(http::k_failure_too_large)))
                   : FakeTransport::answer(200, vector(scraped("1800000000")));
  });
  const auto both = setting.prometheus->samples({subject(), subject("zoo")}, {});
  REQUIRE(both.size() == 2);
  for (const auto& each : both) {
    CHECK((each || each.error().message.find("too long") == std::string::npos));
  }
  CHECK(setting.fake->sent().size() == 3);
}

TEST_CASE("prometheus: asks with one time, a timeout, its headers and its path prefix") {
  PrometheusSetting setting;
  setting.answer(200, vector(""));
  static_cast<void>(setting.prometheus->query("sum(up{a=\"b\"})", {}));
  const http::Request request = setting.fake->sent().at(0);
  CHECK(
      request.url.ends_with("/base/api/v1/query?query=sum%28up%7Ba%3D%22b%22%7D%29&"
                            "time=1800000000.250&timeout=10000ms"));
  CHECK(http::find_header(request.headers, "X-Scope-OrgID") == "shop");
  CHECK_FALSE(Prometheus::direct(setting.fake, "ftp://x"));
}

TEST_CASE("prometheus: a sample of both arms from one query") {
  PrometheusSetting setting;
  setting.answer(200, vector(util::join({counter("v1", R"(,"response_code":"200")", "90"),
                                         counter("v1", R"(,"response_code":"500")", "10"),
                                         counter("v1", R"(,"response_code":"200")", "5", "web-2"),
                                         counter("v3", R"(,"response_code":"200")", "99", "web-9"),
                                         scraped("1799999990")},
                                        ",")));
  const auto sample = setting.prometheus->sample(subject(), {});
  REQUIRE_MESSAGE(sample, (sample ? "" : sample.error().message));
  CHECK(sample->source == "istio");
  REQUIRE(sample->arms.at("v1").size() == 2);
  CHECK(sample->arms.at("v1")[0].id == "shop/web-1||v1");
  CHECK(sample->arms.at("v1")[0].requests == 100);
  CHECK(sample->arms.at("v1")[0].errors == 10);
  CHECK(sample->arms.at("v2").empty());
  CHECK(setting.fake->sent().size() == 1);
}

TEST_CASE("prometheus: stale, doubled and broken counters are told, each to its own subject") {
  const auto ask = [](const std::vector<std::string>& elements) {
    PrometheusSetting setting;
    setting.answer(200, vector(util::join(elements, ",")));
    return setting.prometheus->sample(subject(), {});
  };
  CHECK(ask({}).error().reason == k_reason_no_data);
  CHECK(ask({scraped("1799999990")}).error().reason == k_reason_no_data);
  CHECK(ask({counter("v1", R"(,"response_code":"200")", "9"), scraped("1799999800")})
            .error()
            .reason == k_reason_stale);
  const auto doubled = ask({counter("v1", R"(,"response_code":"200")", "9"),
                            counter("v1", R"(,"response_code":"200")", "9", "web-1", "other"),
                            scraped("1799999990")});
  CHECK(doubled.error().reason == k_reason_several);
  CHECK(doubled.error().message.find("as jobs pods and other") != std::string::npos);
  CHECK(ask({counter("v1", R"(,"response_code":"200")", "NaN"), scraped("1799999990")})
            .error()
            .reason == k_reason_not_a_number);

  PrometheusSetting setting;
  setting.answer(
      200,
      vector(util::join(
          {counter("v1", R"(,"response_code":"200")", "NaN"),
           R"({"metric":{"__name__":"istio_requests_total","pod":"p","destination_service":"api.shop.svc.cluster.local","destination_version":"v1","response_code":"200"},"value":[1,"4"]})",
           R"({"metric":{"kubist":"time","destination_service":"api.shop.svc.cluster.local"},"value":[1,"1800000000"]})"},
          ",")));
  const auto both = setting.prometheus->samples({subject(), subject("api")}, {});
  REQUIRE(both.size() == 2);
  CHECK_FALSE(both[0]);
  REQUIRE(both[1]);
  CHECK(both[1]->arms.at("v1").at(0).requests == 4);
}

TEST_CASE("prometheus: many subjects share few queries, none of them long") {
  PrometheusSetting setting;
  setting.fake->always("GET", "/base/api/v1/query", 200, vector(""));
  std::vector<Subject> subjects;
  for (int i = 0; i < 200; ++i) {
    subjects.push_back(subject(util::cat("service-", i)));
  }
  CHECK(setting.prometheus->samples(subjects, {}).size() == 200);
  const auto sent = setting.fake->sent();
  CHECK(sent.size() < 30);
  for (const http::Request& request : sent) {
    CHECK(request.url.size() < 6'500);
  }
}

TEST_CASE("prometheus: through the API server's service proxy") {
  auto fake = std::make_shared<FakeTransport>();
  kube::ClusterAccess access;
  access.server = "http://fake";
  kube::ClientOptions options;
  options.transport = fake;
  const auto client = *kube::Client::connect(access, options);
  fake->reply(
      "GET",
      "/api/v1/namespaces/istio-system/services/https:prometheus:9090/proxy/prom/api/v1/query", 200,
      vector(R"({"metric":{},"value":[1.5,"1"]})"));
  const auto through =
      Prometheus::through(client, "istio-system", "https:prometheus:9090/prom/", {});
  REQUIRE(through);
  CHECK((*through)->query("up", {}) == 1.0);
  for (const char* bad : {"", "a?b", "a:1/../../secrets", "a b"}) {
    CHECK_MESSAGE(!Prometheus::through(client, "istio-system", bad, {}), bad);
  }
}

TEST_CASE("prometheus: the query for Envoy's names has a selector for each sort of tags") {
  PrometheusOptions options;
  options.names = Names::envoy;
  PrometheusSetting setting(options);
  setting.answer(
      200,
      vector(
          R"({"metric":{"__name__":"envoy_cluster_upstream_rq","cluster_name":"outbound|80|v2|web.shop.svc.cluster.local","response_code_class":"5xx","instance":"10.0.0.1:15020","job":"gw"},"value":[1,"3"]},{"metric":{"kubist":"time","cluster_name":"outbound|80|v2|web.shop.svc.cluster.local"},"value":[1,"1799999999"]})"));
  const auto sample = setting.prometheus->sample(subject(), {});
  REQUIRE_MESSAGE(sample, (sample ? "" : sample.error().message));
  CHECK(sample->source == "envoy");
  CHECK(sample->arms.at("v2").at(0).id == "10.0.0.1:15020|80");
  CHECK(sample->arms.at("v2").at(0).errors == 3);
  CHECK(sample->arms.at("v1").empty());
}
