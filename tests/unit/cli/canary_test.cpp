#include <fstream>

#include <doctest/doctest.h>

#include <kubist/data/json.hpp>
#include <kubist/util/fs.hpp>

#include "output/canary_lines.hpp"
#include "run_words.hpp"
#include "support/loopback_server.hpp"
#include "support/objects.hpp"

using namespace kubist;
using testing::Ran;

namespace {

Ran simulate(std::vector<std::string> words) {
  words.insert(words.begin(), {"canary", "simulate", "--runs", "40"});
  return testing::run_words(words);
}

}  // namespace

TEST_CASE("canary status: what programs read says where a release is, and no internal state") {
  const data::Json release{
      {"metadata", {{"name", "shop"}, {"namespace", "team"}}},
      {"spec", {{"destination", "web"}, {"stable", "v1"}, {"canary", "v2"}}},
      {"status",
       {{"state", "Waiting"}, {"weight", 10}, {"policies", {{{"name", "Health"}}}}, {"looks", 7}}}};
  CHECK(cli::canary_json(release) == data::Json{{"name", "shop"},
                                                {"namespace", "team"},
                                                {"destination", "web"},
                                                {"stable", "v1"},
                                                {"canary", "v2"},
                                                {"state", "Waiting"},
                                                {"weight", 10},
                                                {"policies", {{{"name", "Health"}}}}});
}

TEST_CASE("canary approve: what is approved is said before it is written") {
  data::Json release = testing::object("CanaryRelease", "team", "shop");
  release["metadata"]["uid"] = "1";
  release["status"] = {
      {"state", "Waiting"}, {"nextWeight", 50}, {"target", "v2/abc"}, {"attempt", 2}};
  const testing::LoopbackServer server([&](const auto& request, auto& connection) {
    const bool reads = request.head.starts_with("GET ");
    connection.reply(reads ? 200 : 403, reads ? release.dump() : "{}",
                     "Content-Type: application/json\r\n");
  });
  const util::TempDir folder("approve");
  const std::string file = folder.path() / "kubeconfig";
  REQUIRE(util::write_file(file, testing::small_kubeconfig(server.url("")).dump()));
  const Ran ran =
      testing::run_words({"canary", "approve", "shop", "-n", "team", "--kubeconfig", file});
  CHECK(ran.code != 0);
  CHECK(ran.out.empty());
  CHECK_MESSAGE(ran.err.starts_with("approves 50 % for v2/abc, attempt 2 of CanaryRelease/shop\n"),
                ran.err);
}

TEST_CASE("canary simulate: json has each number, null where it means nothing") {
  const Ran bad = simulate({"--test", "statistical", "--canary-success", "90", "-o", "json"});
  REQUIRE(bad.code == 0);
  const auto report = data::Json::parse(bad.out);
  CHECK(report["runs"] == 40);
  CHECK(report["abortedShare"].get<double>() > 0.9);
  CHECK(report["falseAbortRate"].is_null());
  CHECK(report["falsePromotionRate"] == 0);
  CHECK(report["canaryRequestsToAbort"]["median"].get<double>() > 0);
  CHECK(report["expectedToLeave"].size() == 4);
  CHECK(report["expectedToLeave"][0]["weightPercent"] == 5);

  const Ran good = simulate({"--test", "z-test", "--weight", "10", "-o", "json"});
  REQUIRE(good.code == 0);
  const auto naive = data::Json::parse(good.out);
  CHECK(naive["falseAbortRate"] == naive["abortedShare"]);
  CHECK(naive["falsePromotionRate"].is_null());
  CHECK(naive["promotedShare"] == 0);
  CHECK(naive["expectedToLeave"].empty());
}

TEST_CASE("canary simulate: for people with what a good version needs, and a chart") {
  const Ran ran = simulate({"--test", "statistical", "--rps", "50"});
  CHECK(ran.code == 0);
  for (const char* part : {"A version as good as stable needs about", "at 50 %:", "false aborts",
                           "40 of seed 1", "ENDING", "Promoted", "UNTIL", "===="}) {
    CAPTURE(part);
    CHECK(ran.out.find(part) != std::string::npos);
  }
}

TEST_CASE("canary simulate: --looks is still taken for --evaluations") {
  const auto out = [](const std::vector<std::string>& words) {
    const Ran ran = simulate(words);
    CHECK(ran.code == 0);
    return ran.out;
  };
  const std::string few = out({"--evaluations", "3"});
  CHECK(out({"--looks", "3"}) == few);
  CHECK(out({"--looks", "500", "--evaluations", "3"}) == few);
  CHECK(out({}) != few);
}

TEST_CASE("canary simulate: a percent sign says what is meant") {
  const auto out = [](const char* stable) {
    const Ran ran = simulate({"--test", "statistical", "--stable-success", stable});
    CHECK(ran.code == 0);
    return ran.out;
  };
  CHECK(out("99.5%") == out("99.5"));
  CHECK(out("99.5%") != out("0.5%"));
}

TEST_CASE("canary simulate: bad input is a usage error that names the flag or the value") {
  struct Case {
    std::vector<std::string> words;
    const char* part;
  };
  for (const Case& bad :
       {Case{{"--rps", "many"}, "--rps"},
        Case{{"--steps", "5-x"}, "--steps"},
        Case{{"--test", "z-test", "--weight", "5", "--steps", "5-10"}, "exclude"},
        Case{{"--stable-success", "101"}, "success rate"},
        Case{{"--icc", "1"}, "correlation"},
        Case{{"--bad-from-step", "0"}, "--bad-from-step"},
        Case{{"--test", "guess"}, "z-test"},
        Case{{"--test", "z-test", "--steps", "50-10"}, "weights"},
        Case{{"--runs", "0"}, "run"},
        Case{{"--test", "z-test", "--policy", "Timed"}, "exclude"},
        Case{{"--weight", "5"}, "goes with --test"},
        Case{{"--set", "step=1m"}, "--policy"},
        Case{{"--policy", "Timed", "--set", "step"}, "NAME=VALUE"},
        Case{{"shop"}, "with -f"},
        Case{{"--print-query"}, "-f FILE"},
        Case{{"--evaluations", "9000000000000000000"}, "--evaluations"},
        Case{{"--looks", "9000000000000000000"}, "--evaluations"},
        Case{{"--start", "2250-01-01T00:00:00Z"}, "--start"},
        Case{{"--stable-success", "0.99"}, "may mean 0.99 % or 99 %"},
        Case{{"--canary-success", "1"}, "write 1% or 100%"},
        Case{{"--stable-success", "99%%"}, "--stable-success"},
        Case{{"--test", "z-test", "--weight", "0.1"}, "write 0.1% or 10%"},
        Case{{"--test", "z-test", "--limit-success", "0.97"}, "write 0.97% or 97%"}}) {
    const Ran ran = simulate(bad.words);
    CAPTURE(ran.err);
    CHECK(ran.code == 64);
    CHECK(ran.out.empty());
    CHECK(ran.err.find(bad.part) != std::string::npos);
  }
}

namespace {

/// One release with its file, and a recording of ten minutes in which v2 fails in 20 % of requests.
struct Night {
  util::TempDir folder{"simulate"};
  std::string release = folder.path() / "shop.yaml";
  std::string recording = folder.path() / "night.json";

  Night() {
    std::ofstream(release) << R"(
apiVersion: kubist.io/v1alpha1
kind: CanaryRelease
metadata: {name: shop, namespace: team}
spec:
  virtualClusterRef: {name: dev}
  destination: web
  stable: v1
  canary: v2
  routes: [shop]
  policies:
    - {name: Metric, parameters: {metrics: [{name: request-success-rate, thresholdRange: {min: 95}}]}}
)";
    data::Json result = data::Json::array();
    for (const char* version : {"v1", "v2"}) {
      for (const char* code : {"200", "500"}) {
        const bool fails = code[0] == '5';
        const double per_minute = version[1] == '1' ? (fails ? 10 : 990) : (fails ? 20 : 80);
        result.push_back(series({{"__name__", "istio_requests_total"},
                                 {"destination_version", version},
                                 {"response_code", code}},
                                [&](double i) { return per_minute * i; }));
      }
    }
    result.push_back(series({{"kubist", "time"}}, [](double i) { return 1.8e9 + 60 * i; }));
    save({{"status", "success"}, {"data", {{"resultType", "matrix"}, {"result", result}}}});
  }
  void save(const data::Json& answer) const { std::ofstream(recording) << answer.dump(); }

  template <class Value>
  static data::Json series(data::Json labels, Value value) {
    labels["destination_service"] = "web.team.svc.cluster.local";
    labels["namespace"] = "team";
    labels["pod"] = "web-1";
    data::Json values = data::Json::array();
    for (int i = 0; i <= 10; ++i) {
      values.push_back({1.8e9 + 60 * i, std::to_string(value(i))});
    }
    return {{"metric", labels}, {"values", values}};
  }
};

}  // namespace

TEST_CASE("canary simulate: a release's own policies over what was recorded, or another one") {
  const Night night;
  const auto report_of = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"-f", night.release, "--recorded", night.recording, "-o", "json"});
    const Ran ran = simulate(words);
    REQUIRE_MESSAGE(ran.code == 0, ran.err);
    return data::Json::parse(ran.out);
  };
  const auto own = report_of({});
  CHECK(own["abortedShare"] == 1);
  CHECK(own["byReason"][0]["ending"] == "aborted");
  CHECK(own["byReason"][0]["reason"] == "ThresholdFailed");
  CHECK(own["falsePromotionRate"] == 0);
  CHECK(own == report_of({"--threads", "3"}));
  CHECK(own != report_of({"--seed", "2"}));
  const auto blind = report_of({"--policy", "Timed", "--set", "step=5m"});
  CHECK(blind["undecidedShare"] == 1);  // ten minutes do not suffice
  CHECK(blind["byReason"][0]["reason"] == "RecordingEnded");
}

TEST_CASE("canary simulate: the query to record with, and what cannot be replayed") {
  const Night night;
  const Ran query = simulate({"-f", night.release, "--print-query"});
  CHECK(query.code == 0);
  CHECK(query.out.find(R"(destination_service=~"web.team.svc.cluster.local")") !=
        std::string::npos);
  const auto error_of = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"-f", night.release, "--recorded", night.recording});
    const Ran ran = simulate(words);
    CHECK(ran.code != 0);
    return ran.err;
  };
  CHECK(error_of({"-n", "elsewhere"}).find("web.elsewhere.svc.cluster.local") != std::string::npos);
  CHECK(error_of({"--rps", "5"}).find("exclude") != std::string::npos);
  auto answer = data::Json::parse(std::ifstream(night.recording));
  answer["data"]["result"][1]["values"][1][1] = "-5";
  night.save(answer);
  CHECK(error_of({}).find("version v1 has -5 errors") != std::string::npos);
  night.save({{"status", "success"}, {"data", {{"resultType", "vector"}, {"result", {1}}}}});
  CHECK(error_of({}).find("\"vector\" is not a matrix") != std::string::npos);
  std::ofstream(night.recording) << "{\n  \"status\": oops";
  CHECK(error_of({}).find("night.json:2:") != std::string::npos);
}

TEST_CASE("canary simulate: a policy that needs a cluster is refused") {
  const Night night;
  const std::string policies = night.folder.path() / "policies.yaml";
  std::ofstream(policies) << "apiVersion: kubist.io/v1alpha1\n"
                             "kind: ClusterPolicyDefinition\n"
                             "metadata: {name: enough}\n"
                             "spec:\n"
                             "  kinds: [CanaryRelease]\n"
                             "  runtime:\n"
                             "    container: {image: \"registry.example/enough@sha256:"
                          << std::string(64, '0') << "\"}\n";
  const Ran ran = simulate({"-f", night.release, "-f", policies, "--policy", "enough"});
  CHECK(ran.code == 1);
  CHECK(ran.out.empty());
  CHECK(ran.err.find("cluster") != std::string::npos);
}
