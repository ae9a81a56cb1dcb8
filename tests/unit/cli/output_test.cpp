#include <cstdlib>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <kubist/cli/sink.hpp>
#include <kubist/data/go_text.hpp>
#include <kubist/data/json.hpp>

#include "output/custom_columns.hpp"
#include "output/format.hpp"
#include "output/object_printer.hpp"
#include "output/run_report.hpp"
#include "output/table.hpp"
#include "output/tree_lines.hpp"

using namespace kubist;
using namespace kubist::cli;
using kubist::data::Json;

namespace {

std::vector<Json> two_objects() {
  return {Json{{"apiVersion", "v1"},
               {"kind", "ConfigMap"},
               {"metadata", {{"name", "a"}, {"managedFields", Json::array({1})}}},
               {"data", {{"k", "v"}, {"n", nullptr}}}},
          Json{{"apiVersion", "apps/v1"},
               {"kind", "Deployment"},
               {"metadata", {{"name", "b"}, {"labels", {{"x", "1"}, {"y", "2"}}}}}}};
}

std::string printed(const std::string& format, PrinterOptions options = {}) {
  StringSink out;
  const auto parsed = parse_output_format(format);
  REQUIRE(parsed);
  REQUIRE(print_objects(two_objects(), *parsed, out, options));
  return out.text();
}

/// What comes out at `end` of what is written to `written`; both are closed.
std::string through(int written, int end) {
  {
    FdSink sink(written);
    sink.write("\x1b[31mred\x1b[0m \x1b]0;title\a\xc2\x9b \xe2\x80\xae\r\n");
    sink.steer("\x1b[2A");
  }
  ::close(written);
  std::string text(200, '\0');
  const ssize_t count = ::read(end, text.data(), text.size());
  ::close(end);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

}  // namespace

TEST_CASE(
    "sink: no text drives a terminal, kubist's own sequences do, a pipe gets both as they are") {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(::grantpt(terminal) == 0);
  REQUIRE(::unlockpt(terminal) == 0);
  const int side = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY);
  REQUIRE(side >= 0);
  CHECK(through(side, terminal) ==
        "\x1b[31mred\x1b[0m \\x1b]0;title\\x07\\xc2\\x9b \\xe2\\x80\\xae\\x0d\r\n\x1b[2A");
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  CHECK(through(ends[1], ends[0]) ==
        "\x1b[31mred\x1b[0m \x1b]0;title\a\xc2\x9b \xe2\x80\xae\r\n\x1b[2A");
}

TEST_CASE("layout: no cell of somebody's drives the terminal") {
  CHECK(layout({{"a",
                 "Failed\xc2\x9b"
                 "2J",
                 "\u202etxt.exe\r"}},
               {{0, 0, 0}}, false) == "a  Failed\\xc2\\x9b2J  \\xe2\\x80\\xaetxt.exe\\x0d\n");
}

TEST_CASE("table: columns are three apart, at least six wide, the last one is not padded") {
  StringSink out;
  print_table(out, {{"A", "NAME", "AGE"}, {{"1", "some-long-name", "5s"}, {"2", "b", ""}}});
  CHECK(out.text() ==
        "A     NAME             AGE\n"
        "1     some-long-name   5s\n"
        "2     b                \n");
}

TEST_CASE("table: widths are counted in characters, and remembered from flush to flush") {
  StringSink out;
  TableWriter table(out);
  table.row({"äöüäöüäöü", "x"});
  table.flush();
  table.row({"b", "y"});
  table.flush();
  table.forget_widths();
  table.row({"b", "y"});
  table.flush();
  CHECK(out.text() == "äöüäöüäöü   x\nb           y\nb     y\n");
}

TEST_CASE("table: a row without a column ends the block that the column's width is settled in") {
  StringSink out;
  TableWriter table(out, {0, 2, false});
  table.row({"Name:", "x"});
  table.row({"Conditions:"});
  table.row({"  a-long-type", "True"});
  table.flush();
  CHECK(out.text() == "Name:  x\nConditions:\n  a-long-type  True\n");
}

TEST_CASE("table: a cell with a newline settles the rows before it") {
  StringSink out;
  TableWriter table(out);
  table.row({"N", "D"});
  table.row({"a", "one\ntwo"});
  table.row({"much-longer", "x"});
  table.flush();
  CHECK(out.text() == "N     D\na     one\ntwo\nmuch-longer   x\n");
}

TEST_CASE("print: json and yaml of several objects are a List without managed fields") {
  const std::string json = printed("json");
  CHECK(
      json.starts_with("{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n        {\n"
                       "            \"apiVersion\": \"v1\",\n"));
  CHECK(
      json.ends_with("    ],\n    \"kind\": \"List\",\n    \"metadata\": {\n"
                     "        \"resourceVersion\": \"\"\n    }\n}\n"));
  CHECK(Json::parse(json)["items"][0]["metadata"] == Json{{"name", "a"}});
  const std::string yaml = printed("yaml");
  CHECK(yaml.starts_with("apiVersion: v1\nitems:\n- apiVersion: v1\n  data:\n    k: v\n"));
  CHECK(yaml.ends_with("kind: List\nmetadata:\n  resourceVersion: \"\"\n"));
}

TEST_CASE("print: an empty list is still a list") {
  for (const auto& [format, expected] : std::vector<std::pair<std::string, std::string>>{
           {"json",
            "{\n    \"apiVersion\": \"v1\",\n    \"items\": [],\n    \"kind\": \"List\",\n"
            "    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n"},
           {"yaml", "apiVersion: v1\nitems: []\nkind: List\nmetadata:\n  resourceVersion: \"\"\n"},
           {"name", ""},
           {"custom-columns=A:.a", "A\n"}}) {
    CAPTURE(format);
    StringSink out;
    const auto parsed = parse_output_format(format);
    REQUIRE(print_objects({}, *parsed, out, {}));
    CHECK(out.text() == expected);
  }
}

TEST_CASE("print: names carry the group, streams separate YAML documents") {
  CHECK(printed("name") == "configmap/a\ndeployment.apps/b\n");
  const std::string yaml = printed("yaml", {.shape = OutputShape::stream});
  CHECK(yaml.find("\n---\napiVersion: apps/v1\n") != std::string::npos);
}

TEST_CASE("print: jsonpath sees the list, as-json prints an array of what it found") {
  CHECK(printed("jsonpath={.items[*].metadata.name}") == "a b");
  CHECK(printed("jsonpath={.metadata.name}{\"\\n\"}", {.shape = OutputShape::stream}) == "a\nb\n");
  CHECK(printed("jsonpath-as-json={.items[*].metadata.name}") == "[\n    \"a\",\n    \"b\"\n]\n");
}

TEST_CASE("print: untyped items of a list get their kind") {
  StringSink out;
  const auto format = parse_output_format("json");
  const auto printer = make_object_printer(*format, out, {.shape = OutputShape::single});
  REQUIRE(printer->print({R"({"metadata":{"name":"x"}})", "apps/v1", "Deployment", "x", false}));
  CHECK(Json::parse(out.text())["kind"] == "Deployment");
  CHECK(Json::parse(out.text())["apiVersion"] == "apps/v1");
}

TEST_CASE("custom columns: missing values are <none>, maps look as Go prints them") {
  CHECK(printed("custom-columns=NAME:.metadata.name,L:.metadata.labels,NO:{.spec.x}") ==
        "NAME   L              NO\n"
        "a      <none>         <none>\n"
        "b      map[x:1 y:2]   <none>\n");
  CHECK(data::go_text(Json::array({1, "a", true, nullptr, 1.5})) == "[1 a true <nil> 1.5]");
}

TEST_CASE("format: unknown formats and broken templates are refused with what is allowed") {
  const auto wrong = parse_output_format("jsn");
  REQUIRE(!wrong);
  CHECK(wrong.error().kind == util::ErrorKind::usage);
  CHECK(wrong.error().hint.find("custom-columns") != std::string::npos);
  CHECK(!parse_output_format("jsonpath="));
  CHECK(!parse_output_format("jsonpath={.a"));
  CHECK(!parse_output_format("custom-columns=A"));
}

TEST_CASE(
    "layout: columns stand below each other, with colours as without, and no line ends in spaces") {
  const std::vector<std::vector<std::string>> rows{
      {"└─ Project/shop", "True", ""}, {"x", "False", "why"}, {"é", "", ""}};
  const std::vector<std::vector<int>> colors{{0, 32, 0}, {0, 31, 0}, {0, 0, 0}};
  CHECK(layout(rows, colors, false) ==
        "└─ Project/shop  True\n"
        "x                False  why\n"
        "é\n");
  CHECK(layout(rows, colors, true) ==
        "└─ Project/shop  \x1b[32mTrue\x1b[0m\n"
        "x                \x1b[31mFalse\x1b[0m  why\n"
        "é\n");
}

TEST_CASE("layout: a cell of several lines is one line of the table, with colours as without") {
  const std::vector<std::vector<std::string>> rows{
      {"├─ Execution/seed", "Failed", "exited with code 1; its log:\n{\"a\":\t1}\n\n  refused\n"},
      {"└─ Execution/app", "Ready", ""}};
  const std::vector<std::vector<int>> colors{{0, 31, 0}, {0, 32, 0}};
  CHECK(layout(rows, colors, false) ==
        "├─ Execution/seed  Failed  exited with code 1; its log: {\"a\": 1} / refused\n"
        "└─ Execution/app   Ready\n");
  CHECK(layout(rows, colors, true) ==
        "├─ Execution/seed  \x1b[31mFailed\x1b[0m  exited with code 1; its log: {\"a\": 1} / "
        "refused\n"
        "└─ Execution/app   \x1b[32mReady\x1b[0m\n");
}

TEST_CASE("exit codes: what is worst of a run decides") {
  const auto failed = [](util::ErrorKind kind) {
    engine::NodeReport node;
    node.state = engine::NodeState::failed;
    node.error = util::make_error(kind, "no");
    return node;
  };
  const auto code = [](std::vector<engine::NodeReport> nodes) {
    engine::Report report;
    report.nodes = std::move(nodes);
    report.summary.not_ready = 1;
    return exit_code_of(report);
  };
  engine::NodeReport back = failed(util::ErrorKind::conflict);
  back.rolled_back = true;
  const engine::NodeReport conflict = failed(util::ErrorKind::conflict);
  const engine::NodeReport denied = failed(util::ErrorKind::denied);
  CHECK(code({}) == 3);
  CHECK(code({denied}) == 5);
  CHECK(code({denied, conflict}) == 6);
  CHECK(code({denied, conflict, back}) == 4);
  CHECK(code({back, conflict, failed(util::ErrorKind::invalid)}) == 1);
  executors::Run run;
  CHECK(exit_code_of(run) == 0);
  run.incomplete = true;
  CHECK(exit_code_of(run) == 1);
}
