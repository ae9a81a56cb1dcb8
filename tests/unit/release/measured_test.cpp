#include <doctest/doctest.h>

#include <kubist/release/measured.hpp>

using namespace kubist::release;
using kubist::data::Json;

TEST_CASE("release measured: windows of one weight and attempt add up, others begin anew") {
  Plan plan;
  plan.stable = "v1";
  plan.canary = "v2";
  Progress at;
  at.weight = 10;
  const Json open{{"reason", "WindowOpen"}, {"message", "the window is not over yet"}};
  CHECK(measured_after(Json(), open, plan, at).is_null());

  const Json window{{"seconds", 30.0},
                    {"arms",
                     {{"v1", {{"requests", 900.0}, {"errors", 9.0}}},
                      {"v2", {{"requests", 100.0}, {"errors", 2.0}}}}}};
  const Json once = measured_after(Json(), window, plan, at);
  const Json twice = measured_after(once, window, plan, at);
  CHECK(twice ==
        Json{{"weight", 10},
             {"attempt", 1},
             {"seconds", 60.0},
             {"versions",
              {{{"name", "v1"}, {"requests", 1800.0}, {"errors", 18.0}, {"rates", {0.01, 0.01}}},
               {{"name", "v2"}, {"requests", 200.0}, {"errors", 4.0}, {"rates", {0.02, 0.02}}}}}});
  CHECK(measured_after(twice, open, plan, at) == twice);
  Json bad = once;  // as an older schema, or somebody else, may have let it in
  bad["seconds"] = "long";
  bad["versions"][0]["requests"] = Json::array();
  const Json begun = measured_after(bad, window, plan, at);
  CHECK(begun["seconds"] == 30.0);
  CHECK(begun["versions"][0]["requests"] == 900.0);

  at.weight = 25;
  CHECK(measured_after(twice, window, plan, at)["versions"] == once["versions"]);
  at.weight = 10;
  at.attempt = 2;
  CHECK(measured_after(twice, window, plan, at)["versions"] == once["versions"]);
  Json many = once;
  for (int i = 0; i < 100; ++i) {
    many = measured_after(many, window, plan, at);
  }
  CHECK(many["versions"][1]["rates"].size() == k_most_rates);
  // A version without a request is there, with none.
  const Json silent{{"seconds", 30.0}, {"arms", {{"v1", {{"requests", 5.0}, {"errors", 0.0}}}}}};
  CHECK(measured_after(Json(), silent, plan, at)["versions"][1] ==
        Json{{"name", "v2"}, {"requests", 0.0}, {"errors", 0.0}});
}
