#include <fstream>
#include <regex>

#include <doctest/doctest.h>

#include <kubist/data/json.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "run_words.hpp"

using namespace kubist;
using testing::Ran;
using testing::run_words;
using util::cat;

namespace {

/// A report of JUnit: how long a case took is another thing each time.
std::string without_times(const std::string& report) {
  return std::regex_replace(report, std::regex(R"( time="\d+\.\d+")"), "");
}

}  // namespace

TEST_CASE("policy init: files that are there stay, bad words are usage errors") {
  const util::TempDir folder("policy-init");
  const std::string dir = folder.path();
  const Ran first = run_words({"policy", "init", "weekday", "--dir", dir});
  CHECK(first.code == 0);
  CHECK(first.out == cat(dir, "/weekday.yaml\n", dir, "/weekday.test.yaml\n"));
  std::ofstream(dir + "/weekday.yaml") << "mine\n";
  std::filesystem::remove(dir + "/weekday.test.yaml");
  const Ran again = run_words({"policy", "init", "weekday", "--dir", dir});
  CHECK(again.code == 1);
  CHECK(again.err.find("exists already") != std::string::npos);
  CHECK(*util::read_file(dir + "/weekday.yaml") == "mine\n");
  CHECK(!std::filesystem::exists(dir + "/weekday.test.yaml"));

  CHECK(run_words({"policy", "init", "Week_Day", "--dir", dir}).code == 64);
  CHECK(run_words({"policy", "init", "x", "--kind", "PolicyDefinition", "--dir", dir}).code == 64);
  CHECK(run_words({"policy", "init", "x", "--kind", "Moon", "--dir", dir}).code == 64);
}

TEST_CASE("policy test: JUnit counts the cases and tells what differs") {
  const util::TempDir folder("policy-junit");
  const std::string file = folder.path() / "cases.yaml";
  std::ofstream(file) << R"(
name: labels <one>
policies: [{name: JsonPatch, parameters: {labels: {by: "patch"}}}]
input: {items: [{apiVersion: kubist.io/v1alpha1, kind: VirtualCluster, metadata: {name: a}, spec: {}}]}
expected: {items: [{spec: {labels: {by: patch}}}]}
---
name: wrong
policies: [{name: JsonPatch, parameters: {labels: {by: "patch"}}}]
input: {items: [{apiVersion: kubist.io/v1alpha1, kind: VirtualCluster, metadata: {name: a}, spec: {}}]}
expected: {items: [{spec: {labels: {by: "me & you"}}}]}
---
name: unknown
policy: JsonPach
input: {items: [{apiVersion: kubist.io/v1alpha1, kind: VirtualCluster, metadata: {name: a}, spec: {}}]}
error: whatever
)";
  const Ran ran = run_words({"policy", "test", file, "--report", "junit"});
  CHECK(ran.code == 1);
  for (const char* part :
       {"<testsuite name=\"kubist policy test\" tests=\"3\" failures=\"2\" errors=\"0\" "
        "skipped=\"0\">",
        "name=\"labels &lt;one&gt;\"", "me &amp; you", "/items/0/spec/labels/by", "did you mean"}) {
    CAPTURE(part);
    CHECK_MESSAGE(ran.out.find(part) != std::string::npos, ran.out);
  }
  CHECK(ran.out.find("PASS") == std::string::npos);

  const Ran github = run_words({"policy", "test", file, "--report", "github"});
  CHECK(github.code == 1);
  CHECK_MESSAGE(github.out.starts_with(cat("::error file=", file,
                                           ",line=10,col=37,title=kubist policy test%3A "
                                           "CaseFailed::wrong: ")),
                github.out);
  CHECK(github.out.find(cat("\n::error file=", file, ",line=12,col=1,")) != std::string::npos);
  CHECK(github.out.find("%0A/items/0/spec/labels/by%0A") != std::string::npos);

  const Ran json = run_words({"policy", "test", file, "-o", "json"});
  CHECK(json.code == 1);
  CHECK(json.out == run_words({"policy", "test", file, "--report", "json"}).out);
  CHECK(data::Json::parse(json.out)["failed"] == 2);
  CHECK(run_words({"policy", "test", file, "-o", "yaml"}).out.find("failed: 2\n") !=
        std::string::npos);
  CHECK(run_words({"policy", "test", file, "-o", "json", "--report", "junit"}).code == 64);

  const std::string beside = folder.path() / "beside.xml";
  const Ran both = run_words({"policy", "test", file, "-o", "json", "--report", "junit=" + beside});
  CHECK(both.code == 1);
  CHECK(both.out == json.out);
  const std::string report = without_times(*util::read_file(beside));
  CHECK(report == without_times(ran.out));
  CHECK(report.find("time=") == std::string::npos);
}
