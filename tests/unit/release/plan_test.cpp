#include "loop_support.hpp"

using namespace loop_test;

TEST_CASE("release plan: weights rise and end at 100, times are durations") {
  const auto read = [](const char* spec) { return read_plan({{"spec", data::Json::parse(spec)}}); };
  const auto fine =
      read(R"({"destination": "web", "stable": "v1", "canary": "v2", "routes": ["shop"],
                             "weights": [20, 40], "interval": "10s", "bake": "0s",
                             "sessionAffinity": {"cookieName": "stay", "maxAge": 60}})");
  REQUIRE(fine);
  CHECK(fine->weights == std::vector{20, 40, 100});
  CHECK(fine->interval == std::chrono::seconds(10));
  CHECK(fine->cookie == "stay");
  CHECK(fine->cookie_age == std::chrono::seconds(60));
  CHECK(next_weight(*fine, 0) == 20);
  CHECK(next_weight(*fine, 40) == 100);
  for (const char* bad : {R"({"stable": "v1", "canary": "v1"})",
                          R"({"stable": "v1", "canary": "v2", "weights": [50, 20]})",
                          R"({"stable": "v1", "canary": "v2", "weights": [-1]})",
                          R"({"stable": "v1", "canary": "v2", "weights": [4294967306]})",
                          R"({"stable": "v1", "canary": "v2", "waves": [{}]})",
                          R"({"stable": "v1", "canary": "v2", "waves": [null, 7, "x"]})",
                          R"({"stable": "v1", "canary": "v2", "order": "waves", "waves":
                            [{"virtualClusters": ["a"]}, {"virtualClusters": ["a"]}]})",
                          R"({"stable": "v1", "canary": "v2", "interval": "soon"})",
                          R"({"stable": "v1", "canary": "v2", "sessionAffinity": {}})",
                          R"({"stable": "v1", "canary": "v2", "sessionAffinity":
                            {"cookieName": "a; Path"}})",
                          R"({"stable": "v1", "canary": "v2", "sessionAffinity":
                            {"cookieName": "a", "maxAge": 0}})",
                          R"({"stable": "v1", "canary": "v2", "holdLimit": "-1s"})"}) {
    CAPTURE(bad);
    CHECK_FALSE(read(bad));
  }
}
