// --report: the forms, where they go, and that they name the place of what is wrong.
#include "report/report.hpp"

#include <cstdlib>
#include <set>

#include <doctest/doctest.h>

#include <kubist/data/json.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/process.hpp>
#include <kubist/util/text.hpp>

#include "bind.hpp"
#include "commands/commands.hpp"
#include "report/reports.hpp"
#include "run_words.hpp"
#include "support/broken_inputs.hpp"
#include "support/variable.hpp"

using namespace kubist;
using namespace kubist::cli;
using kubist::testing::Ran;
using kubist::testing::run_words;
using util::cat;

namespace {

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// Jsonnet runs in a child, which is the program itself.
Ran run_program(std::vector<std::string> words) {
  words.insert(words.begin(), paths::program());
  const auto ran = util::run_command({.args = std::move(words)});
  REQUIRE(ran);
  return {ran->exit_code, ran->out, ran->err};
}

constexpr std::string_view k_valid =
    "apiVersion: kubist.io/v1alpha1\nkind: Project\nmetadata: {name: shop}\n";

ReportCase failed_case(std::string name, std::string message, util::SourcePos pos) {
  ReportCase entry;
  entry.group = "Project";
  entry.name = std::move(name);
  entry.pos = std::move(pos);
  entry.state = CaseState::failed;
  entry.reason = "Invalid";
  entry.message = std::move(message);
  return entry;
}

}  // namespace

TEST_CASE("report: of broken input, JUnit, SARIF, GitHub and GitLab name file, line and column") {
  const testing::BrokenCheckout checkout;
  std::size_t checked = 0;
  for (const testing::BrokenInput& input : testing::broken_inputs()) {
    if (input.verbs != "cluster") {
      ++checked;
      checkout.check(input, "validate", run_program);
    }
  }
  CHECK(checked >= 30);
}

TEST_CASE("report: files and what stands behind the output go beside it") {
  const util::TempDir folder("report");
  const std::string input = folder.path() / "project.yaml";
  REQUIRE(util::write_file(input, k_valid));
  const std::string out = folder.path() / "new/folder";
  const auto validate = [&](std::vector<std::string> reports) {
    std::vector<std::string> words{"validate", "-f", input};
    for (std::string& report : reports) {
      words.insert(words.end(), {"--report", std::move(report)});
    }
    return run_words(words);
  };
  const Ran ran = validate(
      {"junit=" + out + "/a.xml", "json=" + out + "/b.json", "text=" + out + "/c.txt", "github=-"});
  CHECK(ran.code == 0);
  CHECK(ran.out == "1 object is valid\n::notice title=kubist validate::1 passed\n");
  CHECK(*util::read_file(out + "/a.xml") == validate({"junit"}).out);
  CHECK(*util::read_file(out + "/b.json") == validate({"json"}).out);
  CHECK(*util::read_file(out + "/c.txt") == "1 object is valid\n");
  // A form in place of the output, and others beside it.
  const Ran both = validate({"json", "gitlab=" + out + "/d.json"});
  CHECK(both.out == *util::read_file(out + "/b.json"));
  CHECK(*util::read_file(out + "/d.json") == "[]\n");
  // An old, longer one is replaced.
  REQUIRE(util::write_file(out + "/d.json", std::string(5000, 'x')));
  validate({"gitlab=" + out + "/d.json"});
  CHECK(*util::read_file(out + "/d.json") == "[]\n");

  CHECK(validate({"junit", "json"}).code == 64);
  CHECK(validate({"junit="}).code == 64);
  CHECK(validate({"junit=" + out + "/e", "json=" + out + "/e"}).code == 64);
  CHECK(validate({"xml=" + out}).code == 64);
  const Ran refused = validate({"junit=" + input + "/a.xml"});
  CHECK(refused.code == 1);
  CHECK(refused.out.empty());
  CHECK_MESSAGE(contains(refused.err, "cannot write the report"), refused.err);
}

TEST_CASE("report: input that is refused is reported in every form") {
  const util::TempDir folder("report");
  const std::string missing = folder.path() / "missing.yaml";
  for (const std::string_view form : report_forms()) {
    CAPTURE(form);
    const std::string file = folder.path() / "report";
    const Ran ran = run_words({"validate", "-f", missing, "--report", cat(form, '=', file)});
    CHECK(ran.code == 1);
    const auto report = util::read_file(file);
    REQUIRE(report);
    CHECK_MESSAGE(contains(*report, "No such file"), *report);
  }
  const auto empty =
      util::run_command({.args = {paths::program(), "validate", "-f", "-", "--report", "gitlab"},
                         .input = "# none\n"});
  REQUIRE(empty);
  CHECK(data::Json::parse(empty->out)[0]["location"]["path"] == "stdin");
  CHECK(run_words({"validate", "--report", "junit"}).out.empty());  // a wrong command line has none
}

TEST_CASE("report: a command with nothing to do has one case, which passed") {
  RunReport report{.title = "kubist delete"};
  report.cases.emplace_back();
  CHECK(contains(junit_report(report),
                 "<testcase classname=\"kubist delete\" "
                 "name=\"kubist delete\" time=\"0.000\"/>"));
  CHECK(github_report(report) == "::notice title=kubist delete::1 passed\n");
  CHECK(gitlab_report(report) == "[]\n");
}

TEST_CASE("report: JUnit has no character that XML does not know") {
  RunReport report{.title = "kubist apply"};
  report.cases = {failed_case("a", "\xEF\xBF\xBE b \xEF\xBF\xBF", {"stdin", 1, 2})};
  CHECK(contains(junit_report(report), "\\ufffe b \\uffff"));
}

TEST_CASE("report: fingerprints are each its own, and the same when lines move") {
  const auto prints = [](std::size_t line) {
    RunReport report{.title = "kubist validate"};
    report.cases = {failed_case("a", "wrong", {"env/a.yaml", line, 1}),
                    failed_case("a", "wrong", {"env/a.yaml", line + 5, 1}),
                    failed_case("b", "wrong", {"env/a.yaml", line, 1})};
    std::vector<std::string> all;
    for (const auto& issue : data::Json::parse(gitlab_report(report))) {
      all.push_back(issue["fingerprint"]);
    }
    return all;
  };
  const auto first = prints(1);
  CHECK(std::set<std::string>(first.begin(), first.end()).size() == 3);
  CHECK(prints(20) == first);
}

TEST_CASE("report: paths are those of the checkout") {
  RunReport report{.title = "kubist validate", .input = "./env"};
  report.cases = {failed_case("", "x", {"./env/../env/a b.yaml", 3, 2}), failed_case("", "y", {}),
                  failed_case("", "z", {"/elsewhere/c.yaml", 1, 1}),
                  failed_case("", "s", {"stdin", 1, 1}),
                  failed_case("", "u", {"https://example.com/d.yaml", 1, 1})};
  const auto results = data::Json::parse(sarif_report(report))["runs"][0]["results"];
  std::vector<std::string> uris;
  for (const auto& result : results) {
    uris.push_back(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]);
  }
  CHECK(uris == std::vector<std::string>{"env/a%20b.yaml", "env", "file:///elsewhere/c.yaml",
                                         "stdin", "https://example.com/d.yaml"});
  const auto issues = data::Json::parse(gitlab_report(report));
  CHECK(issues[0]["location"]["path"] == "env/a b.yaml");
  CHECK(issues[1]["location"]["path"] == "env");
  CHECK(issues[1]["location"]["positions"]["begin"]["line"] == 1);
}

TEST_CASE("report: GitHub's log shows the error of a refused input once") {
  const util::TempDir folder("report");
  const std::string input = folder.path() / "bad.yaml";
  REQUIRE(util::write_file(input, "kind: Project\n"));
  const auto refused = [&](const std::string& report) {
    const auto ran = run_words({"validate", "-f", input, "--report", report});
    CHECK(ran.code == 1);
    return ran;
  };
  for (const char* report : {"github", "github=-"}) {
    CAPTURE(report);
    const auto ran = refused(report);
    CHECK(contains(ran.out, ",line=1,col=1,title="));
    CHECK(contains(ran.out, "the object has no apiVersion"));
    CHECK(ran.err.empty());
  }
  // What no log shows does not stand for the error.
  CHECK(contains(refused("github=" + (folder.path() / "annotations").string()).err,
                 "the object has no apiVersion"));
  CHECK(contains(refused("junit").err, "the object has no apiVersion"));
  CHECK(contains(run_words({"validate", "--report", "github"}).err, "needs -f"));
}

TEST_CASE("report: of several runs the summary of a GitHub step has the last one") {
  const util::TempDir folder("report");
  const std::string file = folder.path() / "summary.md";
  REQUIRE(util::write_file(file, "before\n"));
  const testing::Variable summary("GITHUB_STEP_SUMMARY", file);
  const CommandSpec spec = reconcile_command();
  const auto arguments = parse_arguments(spec, {"--watch", "--report", "github"});
  REQUIRE(arguments);
  Reports reports;
  REQUIRE(reports.open(*arguments));
  StringSink out;
  RunReport bad;
  bad.cases = {failed_case("shop", "bad", {})};
  reports.deliver(bad, out);
  CHECK(contains(*util::read_file(file), "before\n### kubist reconcile\n\n0 passed, 1 failed\n"));
  reports.deliver({}, out);
  CHECK(*util::read_file(file) == "before\n### kubist reconcile\n\n1 passed\n\n");
  REQUIRE(util::write_file(file, *util::read_file(file) + "of another\n"));
  reports.deliver({}, out);
  CHECK(*util::read_file(file) ==
        "before\n### kubist reconcile\n\n1 passed\n\nof another\n### kubist reconcile\n\n1 "
        "passed\n\n");
}

TEST_CASE("report: the summary of a GitHub step is a table that its text cannot break") {
  const util::TempDir folder("report");
  const std::string file = folder.path() / "summary.md";
  ::setenv("GITHUB_STEP_SUMMARY", file.c_str(), 1);
  const std::string input = folder.path() / "project.yaml";
  REQUIRE(util::write_file(input, k_valid));
  run_words({"validate", "-f", input, "--report", "github=-"});
  run_words({"validate", "-f", input, "--report", "junit"});  // it is of the form github
  ::unsetenv("GITHUB_STEP_SUMMARY");
  CHECK(*util::read_file(file) == "### kubist validate\n\n1 passed\n\n");

  RunReport report{.title = "kubist apply"};
  report.cases = {failed_case("a|b", "<img src=x>\n[link](http://x) `code` @all", {"stdin", 1, 2})};
  CHECK(contains(github_summary(report),
                 "| failed | a\\|b | stdin:1:2 | Invalid | &lt;img src=x&gt;<br>\\[link\\]"
                 "(http&#58;//x) \\`code\\` \\@all |\n"));
  report.cases.resize(400, report.cases.front());
  CHECK(contains(github_summary(report), "and 200 more\n"));
}
