// --report beside an API server: where it points for input that is refused, and what it has of a
// deletion.
#include "both.hpp"
#include "support/broken_inputs.hpp"
#include "support/live.hpp"
#include "support/report_keys.hpp"

using namespace kubist;
using namespace kubist::testing;

TEST_CASE("reports: apply and reconcile name file, line and column of broken input") {
  REQUIRE(run_kubist({"init"}).code == 0);
  const BrokenCheckout checkout;
  std::size_t checked = 0;
  for (const BrokenInput& input : broken_inputs()) {
    if (input.verbs != "validate") {
      ++checked;
      checkout.check(input, "apply", run_kubist);
      checkout.check(input, "reconcile", run_kubist);
    }
  }
  CHECK(checked >= 30);
}

TEST_CASE("reports: of an apply and of its deletion each object has a case with its place") {
  const Twins twins("reports");
  const std::string file = twins.file("maps.yaml");
  const std::string junit = twins.file("junit.xml");
  const std::string ns = twins.ns("kubist");
  twins.write("maps.yaml",
              "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n"
              "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n");
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"-n", ns, "--report", "junit=" + junit});
    const Ran ran = run_kubist(words);
    CHECK_MESSAGE(ran.code == 0, ran.err);
    const auto report = util::read_file(junit);
    REQUIRE(report);
    return std::pair(ran.out, *report);
  };
  const auto check = [&](const std::string& report) {
    CAPTURE(report);
    CHECK(report.find("tests=\"2\" failures=\"0\"") != std::string::npos);
    for (const char* place : {"configmap/a\" time=\"0.000\" file=\"FILE\" line=\"1\"",
                              "configmap/b\" time=\"0.000\" file=\"FILE\" line=\"5\""}) {
      CHECK(report.find(util::replace_all(place, "FILE", file)) != std::string::npos);
    }
  };
  const auto [applied, of_apply] = run({"apply", "-f", file});
  CHECK(applied == "configmap/a created\nconfigmap/b created\n");
  check(of_apply);
  const auto [deleted, of_delete] = run({"delete", "-f", file});
  CHECK(deleted.find("configmap \"a\" deleted") != std::string::npos);
  check(of_delete);
  const auto [nothing, of_nothing] = run({"delete", "-f", file, "--ignore-not-found"});
  CHECK(of_nothing.find("tests=\"0\"") == std::string::npos);
  // A document in place of the output is all of it.
  const Ran json = run_kubist({"delete", "-f", file, "-n", ns, "--report", "json"});
  CHECK(json.code == 1);
  CHECK(data::Json::parse(json.out, nullptr, false)["results"].size() == 2);
}

TEST_CASE("reports: the reference names each key of a reconcile's JSON") {
  REQUIRE(run_kubist({"init"}).code == 0);
  const util::TempDir folder("report-keys");
  const std::string file = folder.path() / "project.yaml";
  REQUIRE(util::write_file(
      file, "apiVersion: kubist.io/v1alpha1\nkind: Project\nmetadata: {name: report-keys}\n"));
  const Ran ran = run_kubist({"reconcile", "-f", file, "--report", "json"});
  CHECK_MESSAGE(ran.code == 0, ran.err);
  const auto report = data::Json::parse(ran.out, nullptr, false);
  REQUIRE(report["nodes"].size() == 1);
  REQUIRE(report["applied"].size() == 2);  // the namespace and the project
  std::set<std::string> keys;
  check_keys_named(report, keys);
  CHECK(run_kubist({"delete", "project", "report-keys"}).code == 0);
}
