#include <limits>

#include <doctest/doctest.h>

#include <kubist/metrics/sample.hpp>

using namespace kubist::metrics;
using kubist::data::Json;

namespace {

constexpr double k_inf = std::numeric_limits<double>::infinity();

Series series(const std::string& id, double requests, double errors, double fast = 0,
              double timed = -1) {
  Series made{id, requests, errors, {}, 0, 0};
  if (timed >= 0) {
    made.latency_ms = {{100, fast}, {500, fast}, {k_inf, timed}};
    made.latency_sum_ms = 2 * timed;
  }
  return made;
}

Sample sample(std::map<std::string, std::vector<Series>> arms,
              const std::string& source = "envoy") {
  return {std::chrono::system_clock::time_point(std::chrono::seconds(1'800'000'000)), source,
          std::move(arms)};
}

Counts only(const std::vector<Series>& before, const std::vector<Series>& after) {
  return difference(sample({{"v1", before}}), sample({{"v1", after}})).at("v1");
}

}  // namespace

TEST_CASE("difference: what each series gained, summed") {
  const Counts counts = only({series("a", 100, 5, 90, 100), series("b", 10, 0, 10, 10)},
                             {series("a", 150, 6, 130, 149), series("b", 30, 1, 29, 30)});
  CHECK(counts.requests == 70);
  CHECK(counts.errors == 2);
  CHECK(counts.latency_ms == std::vector<Bucket>{{100, 59}, {500, 59}, {k_inf, 69}});
  CHECK(counts.latency_sum_ms == 2 * 69);
}

TEST_CASE("difference: a counter that shrank began anew, with all others of its series") {
  CHECK(only({series("a", 100, 5)}, {series("a", 30, 6)}) == Counts{30, 6, {}, 0});
  CHECK(only({series("a", 100, 5)}, {series("a", 300, 1)}) == Counts{300, 1, {}, 0});
  const Counts counts = only({series("a", 5, 0, 9, 9)}, {series("a", 7, 0, 3, 7)});
  CHECK(counts.requests == 7);
  CHECK(counts.latency_ms.back().count == 7);
}

TEST_CASE("difference: a newborn series counts from zero where its arm had been looked at") {
  CHECK(only({series("a", 100, 5)}, {series("a", 100, 5), series("b", 40, 3)}) ==
        Counts{40, 3, {}, 0});
  CHECK(only({}, {series("b", 40, 3)}) == Counts{40, 3, {}, 0});
  const auto unknown = difference(sample({{"v1", {}}}), sample({{"v2", {series("b", 40, 3)}}}));
  CHECK(unknown.at("v2") == Counts{});
  CHECK(unknown.at("v1") == Counts{});
}

TEST_CASE("difference: a vanished series counts nothing, and later only what it gained since") {
  const Sample first = sample({{"v1", {series("a", 100, 5), series("b", 50, 0)}}});
  const Sample second = sample({{"v1", {series("a", 110, 5)}}});
  CHECK(difference(first, second).at("v1").requests == 10);
  const Sample cursor = carry_over(first, second);
  REQUIRE(cursor.arms.at("v1").size() == 2);
  CHECK(cursor.arms.at("v1")[1].missed == 1);
  const Sample third = sample({{"v1", {series("a", 120, 5), series("b", 57, 1)}}});
  CHECK(difference(cursor, third).at("v1") == Counts{17, 1, {}, 0});
  CHECK(carry_over(cursor, third) == third);
  // What is carried over was not seen: it gained nothing.
  CHECK(difference(first, carry_over(first, second)).at("v1").requests == 10);
}

TEST_CASE("difference: what was out of sight for long is forgotten") {
  Sample cursor = sample({{"v1", {series("a", 100, 5)}}});
  const Sample empty = sample({{"v1", {}}});
  for (int reading = 0; reading < 120; ++reading) {
    cursor = carry_over(cursor, empty);
    REQUIRE(cursor.arms.at("v1").size() == 1);
  }
  CHECK(carry_over(cursor, empty).arms.at("v1").empty());
}

TEST_CASE("difference: other sources and other bounds are not compared") {
  const Sample istio = sample({{"v1", {series("a", 100, 5)}}}, "istio");
  const Sample envoy = sample({{"v1", {series("a", 300, 9)}}}, "envoy");
  CHECK(difference(istio, envoy).at("v1") == Counts{});
  CHECK(carry_over(istio, envoy) == envoy);

  Series other = series("a", 150, 6);
  other.latency_ms = {{200, 40}, {k_inf, 50}};
  const Counts counts = only({series("a", 100, 5, 90, 100)}, {other});
  CHECK(counts.requests == 50);
  CHECK(counts.latency_ms.empty());

  // Two processes with different buckets share what both have.
  Series coarse = series("b", 50, 0);
  coarse.latency_ms = {{500, 45}, {k_inf, 50}};
  CHECK(only({}, {series("a", 100, 5, 90, 100), coarse}).latency_ms ==
        std::vector<Bucket>{{500, 135}, {k_inf, 150}});
}

TEST_CASE("sample: as JSON it is small and comes back the same") {
  Series full =
      series("istio-system/istio-ingressgateway-6d7f8c9b5-abcde|80", 123456, 78, 120000, 123400);
  full.latency_ms = {{0.5, 0},     {1, 0},       {5, 100},       {10, 123000},
                     {25, 123400}, {50, 123400}, {k_inf, 123400}};
  full.latency_sum_ms = 1'000'000.25;
  full.missed = 3;
  const Sample whole =
      sample({{"v1", {full, series("b", 1, 0)}}, {"v2", {}}, {"v3", {series("c", 2, 1, 0, 0)}}});
  const Json json = to_json(whole);
  CHECK(json["arms"]["v1"][0].dump() ==
        "[\"istio-system/istio-ingressgateway-6d7f8c9b5-abcde|80\",123456,78,3,1000000.25,0,2,100,"
        "122900,400]");
  const auto read = read_sample(Json::parse(json.dump()));
  REQUIRE(read);
  CHECK(*read == whole);
  Json listed = json;  // parsers of lists make signed numbers of all
  for (Json& field : listed["arms"]["v1"][0]) {
    field = field.is_number_integer() ? Json(field.get<std::int64_t>()) : field;
  }
  REQUIRE(read_sample(listed));
  CHECK(*read_sample(listed) == whole);
}

TEST_CASE("sample: JSON that is none is refused") {
  const Json good = to_json(sample({{"v1", {series("a", 5, 1, 4, 5)}}}));
  CHECK(read_sample(good));
  CHECK_FALSE(read_sample(Json()));
  CHECK_FALSE(read_sample(Json::array()));
  for (
      const char* patch :
      {R"([{"op":"replace","path":"/at","value":"yesterday"}])",
       R"([{"op":"remove","path":"/source"}])", R"([{"op":"replace","path":"/arms","value":[]}])",
       R"([{"op":"replace","path":"/arms/v1/0","value":"a"}])",
       R"([{"op":"replace","path":"/arms/v1/0/1","value":"5"}])",
       R"([{"op":"replace","path":"/arms/v1/0/3","value":0.5}])",
       R"([{"op":"replace","path":"/arms/v1/0/5","value":1}])",
       R"([{"op":"replace","path":"/arms/v1/0/5","value":-1}])",
       R"([{"op":"replace","path":"/arms/v1/0/6","value":99}])",
       R"([{"op":"add","path":"/arms/v1/0/-","value":1},{"op":"add","path":"/arms/v1/0/-","value":1}])",
       R"([{"op":"remove","path":"/bounds"}])",
       R"([{"op":"replace","path":"/bounds/0/0","value":"1"}])"}) {
    CHECK_MESSAGE(!read_sample(good.patch(Json::parse(patch))), patch);
  }
}
