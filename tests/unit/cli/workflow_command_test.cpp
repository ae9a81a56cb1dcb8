// What a workload prints must not become a command of GitHub's runner.
#include "report/workflow_command.hpp"

#include <memory>

#include <doctest/doctest.h>

#include <kubist/cli/sink.hpp>
#include <kubist/engine/graph.hpp>

#include "output/run_report.hpp"

using namespace kubist;
using namespace kubist::cli;

TEST_CASE("workflow command: level, properties and text in one line") {
  CHECK(workflow_command("error", {}, "plain") == "::error::plain\n");
  CHECK(workflow_command("warning", {{"file", "a.yaml"}, {"line", "3"}}, "50 %\nmore") ==
        "::warning file=a.yaml,line=3::50 %25%0Amore\n");
}

TEST_CASE("workflow command: neither text nor a property begins another one") {
  CHECK(workflow_command("error", {}, "x\r::set-output name=a::b") ==
        "::error::x%0D::set-output name=a::b\n");
  CHECK(workflow_command("error", {{"title", "a::b,file=c\r\n::stop-commands::d"}}, "") ==
        "::error title=a%3A%3Ab%2Cfile=c%0D%0A%3A%3Astop-commands%3A%3Ad::\n");
  CHECK(workflow_command("error", {}, "\x1b[2J") == "::error::\\x1b[2J\n");
}

TEST_CASE("workflow command: a failing script of a run's report cannot give commands") {
  engine::Node node;
  node.key = {"kubist.io", "Root", "", "default"};
  node.object = std::make_shared<const data::Json>(data::Json::object());
  executors::Run run{
      std::make_shared<const engine::Graph>(engine::Graph::build({node})), {}, {}, {}, false, {}};
  engine::NodeReport report;
  report.id = 0;
  report.key = node.key;
  report.state = engine::NodeState::failed;
  report.reason = "PodFailed\r::debug::x";
  report.message = "exit code 1: \r::set-output name=a::b";
  run.report.nodes.push_back(report);
  RunReport made = run_report(run, {});
  made.title = "kubist reconcile";
  CHECK(github_report(made) ==
        "::error title=kubist reconcile%3A PodFailed%0D%3A%3Adebug%3A%3Ax::Root/default: exit code "
        "1: %0D::set-output name=a::b\n");
}
