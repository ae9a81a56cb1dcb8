#include <doctest/doctest.h>

#include <kubist/cli/run.hpp>
#include <kubist/data/json.hpp>

using namespace kubist;

namespace {

struct Ran {
  int code;
  std::string out, err;
};

Ran simulate(std::vector<std::string> words) {
  words.insert(words.begin(), {"canary", "simulate", "--runs", "40"});
  cli::StringSink out;
  cli::StringSink err;
  const int code = cli::run(words, out, err);
  return {code, out.text(), err.text()};
}

}  // namespace

TEST_CASE("canary simulate: json has each number, null where it means nothing") {
  const Ran bad = simulate({"--canary-success", "90", "-o", "json"});
  REQUIRE(bad.code == 0);
  const auto report = data::Json::parse(bad.out);
  CHECK(report["runs"] == 40);
  CHECK(report["abortedShare"].get<double>() > 0.9);
  CHECK(report["falseAbortRate"].is_null());
  CHECK(report["falsePromotionRate"] == 0);
  CHECK(report["canaryRequestsToAbort"]["median"].get<double>() > 0);
  CHECK(report["expectedToLeave"].size() == 4);
  CHECK(report["expectedToLeave"][0]["weightPercent"] == 5);

  const Ran good = simulate({"--policy", "z-test", "--weight", "10", "-o", "json"});
  REQUIRE(good.code == 0);
  const auto naive = data::Json::parse(good.out);
  CHECK(naive["falseAbortRate"] == naive["abortedShare"]);
  CHECK(naive["falsePromotionRate"].is_null());
  CHECK(naive["promotedShare"] == 0);
  CHECK(naive["expectedToLeave"].empty());
}

TEST_CASE("canary simulate: for people with what a good version needs, and a chart") {
  const Ran ran = simulate({"--rps", "50"});
  CHECK(ran.code == 0);
  for (const char* part : {"A version as good as stable needs about", "at 50 %:", "false aborts",
                           "40 of seed 1", "UNTIL", "===="}) {
    CAPTURE(part);
    CHECK(ran.out.find(part) != std::string::npos);
  }
}

TEST_CASE("canary simulate: bad input is a usage error that names the flag or the value") {
  struct Case {
    std::vector<std::string> words;
    const char* part;
  };
  for (const Case& bad :
       {Case{{"--rps", "many"}, "--rps"}, Case{{"--steps", "5-x"}, "--steps"},
        Case{{"--weight", "5", "--steps", "5-10"}, "exclude"},
        Case{{"--stable-success", "101"}, "success rate"}, Case{{"--icc", "1"}, "correlation"},
        Case{{"--bad-from-step", "0"}, "--bad-from-step"}, Case{{"--policy", "guess"}, "z-test"},
        Case{{"--steps", "50-10"}, "weights"}, Case{{"--runs", "0"}, "run"}}) {
    const Ran ran = simulate(bad.words);
    CAPTURE(ran.err);
    CHECK(ran.code == 64);
    CHECK(ran.out.empty());
    CHECK(ran.err.find(bad.part) != std::string::npos);
  }
}
