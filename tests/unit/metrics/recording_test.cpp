#include <doctest/doctest.h>

#include <kubist/metrics/recording.hpp>

using namespace kubist;
using namespace kubist::metrics;
using data::Json;

namespace {

const Subject k_subject{
    .ns = "team", .host = "web.team.svc.cluster.local", .versions = {"v1", "v2"}};

Json element(const char* version, Json values) {
  return {{"metric",
           {{"__name__", "istio_requests_total"},
            {"destination_service", "web.team.svc.cluster.local"},
            {"destination_version", version},
            {"response_code", "500"},
            {"pod", "web-1"}}},
          {"values", std::move(values)}};
}

std::string answer(std::initializer_list<Json> result) {
  const Json list = std::vector<Json>(result);
  return Json{{"status", "success"}, {"data", {{"resultType", "matrix"}, {"result", list}}}}.dump();
}

Json scrapes(Json values) {
  return {{"metric", {{"kubist", "time"}, {"destination_service", "web.team.svc.cluster.local"}}},
          {"values", std::move(values)}};
}

std::string error_of(const std::string& text) {
  const auto read = read_recording(text, "night.json", k_subject);
  REQUIRE_FALSE(read);
  return read.error().message;
}

}  // namespace

TEST_CASE(
    "recording: readings as they would have been taken, those without fresh counters left out") {
  const Json fresh = scrapes({{1000, "1000"}, {1030, "1030"}, {1060, "1060"}, {1500, "1060"}});
  const Json first = element("v1", {{1000, "5"}, {1030, "9"}, {1060, "2"}, {1500, "2"}});
  const auto samples = read_recording(
      answer({fresh, first, element("v2", Json::array({{1060, "3"}}))}), "night.json", k_subject);
  REQUIRE_MESSAGE(samples, samples.error().message);
  REQUIRE(samples->size() == 3);  // 1500 is stale
  CHECK((*samples)[0].arms.at("v1")[0].errors == 5);
  CHECK((*samples)[0].arms.at("v2").empty());
  // The counter began anew at 1060.
  CHECK(difference((*samples)[0], (*samples)[1]).at("v1").errors == 4);
  CHECK(difference((*samples)[1], (*samples)[2]).at("v1").errors == 2);
  CHECK(difference((*samples)[1], (*samples)[2]).at("v2").errors == 3);
}

TEST_CASE("recording: what is none is an error that names the place") {
  CHECK(error_of(answer({element("v1", Json::array({{1000, 5}}))}))
            .find("data.result[0].values[0]") != std::string::npos);
  CHECK(error_of(answer({element("v1", Json::array({{1e300, "5"}}))})).find("values[0]") !=
        std::string::npos);
  CHECK(error_of(answer({Json{{"metric", 1}}})).find("data.result[0]") != std::string::npos);
  CHECK(error_of(answer({7})).find("data.result[0]") != std::string::npos);
  CHECK(error_of(answer({})).find("0 of 0 times") != std::string::npos);
  CHECK(error_of("[]").find("not a matrix") != std::string::npos);
  CHECK(error_of(R"({"status": "error", "error": "no such query"})").find("no such query") !=
        std::string::npos);
  const Json fresh = scrapes({{1000, "1000"}, {1030, "1030"}});
  const Json broken = element("v1", {{1000, "NaN"}, {1030, "NaN"}});
  CHECK(error_of(answer({fresh, broken})).find("is no number") != std::string::npos);
}
