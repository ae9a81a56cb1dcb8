#include "bind.hpp"

#include <doctest/doctest.h>

using namespace kubist::cli;
using namespace std::chrono_literals;

namespace {

const CommandSpec& sample() {
  static const CommandSpec spec{
      .path = "sample",
      .arguments = "NAME...",
      .min_words = 1,
      .max_words = 2,
      .flags = {{"filename", 'f', FlagKind::list, "FILE", "files"},
                {"recursive", 'R', FlagKind::boolean, "", "folders too"},
                {"dry-run",
                 0,
                 FlagKind::optional,
                 "none|client|server",
                 "how",
                 "none",
                 Completes::choices,
                 "client",
                 {"none", "client", "server"}},
                {"timeout", 0, FlagKind::duration, "DURATION", "how long", "1m"},
                {"limit", 0, FlagKind::number, "N", "how many", "500"}}};
  return spec;
}

kubist::util::Result<Arguments> parse(std::vector<std::string> words) {
  return parse_arguments(sample(), std::move(words));
}

}  // namespace

TEST_CASE("bind: flags in kubectl's forms, words anywhere") {
  const auto arguments =
      parse({"-Rf", "a.yaml", "one", "--filename=b.yaml", "-f", "-", "--timeout", "90s", "two"});
  INFO((arguments ? std::string{} : arguments.error().to_string()));
  REQUIRE(arguments.has_value());
  CHECK(arguments->list("filename") == std::vector<std::string>{"a.yaml", "b.yaml", "-"});
  CHECK(arguments->boolean("recursive"));
  CHECK(arguments->duration("timeout") == 90s);
  CHECK(arguments->number("limit") == 500);
  CHECK_FALSE(arguments->given("limit"));
  CHECK(arguments->words() == std::vector<std::string>{"one", "two"});
}

TEST_CASE("bind: an empty value behind '=' is a value, and never the next word") {
  const auto arguments = parse({"--namespace=", "one", "--filename=", "two"});
  REQUIRE(arguments.has_value());
  CHECK(arguments->text("namespace").empty());
  CHECK(arguments->list("filename") == std::vector<std::string>{""});
  CHECK(arguments->words() == std::vector<std::string>{"one", "two"});
  CHECK(parse({"one", "--namespace="})->words() == std::vector<std::string>{"one"});
  CHECK(parse({"--", "--namespace="})->words() == std::vector<std::string>{"--namespace="});
}

TEST_CASE("bind: an optional value never takes the next word") {
  CHECK(parse({"--dry-run", "one"})->text("dry-run") == "client");
  CHECK(parse({"--dry-run", "one"})->words() == std::vector<std::string>{"one"});
  CHECK(parse({"--dry-run=server", "one"})->text("dry-run") == "server");
  CHECK(parse({"one"})->text("dry-run") == "none");
}

TEST_CASE("bind: booleans take =false, the last one wins") {
  CHECK_FALSE(parse({"-R", "--recursive=false", "one"})->boolean("recursive"));
}

TEST_CASE("bind: letters with values in kubectl's three forms") {
  for (const std::string word : {"-nteam", "-n=team"}) {
    CAPTURE(word);
    CHECK(parse({"one", word})->text("namespace") == "team");
  }
  CHECK(parse({"one", "-v6"})->number("v") == 6);
}

TEST_CASE("bind: everything behind -- is a word") {
  CHECK(parse({"--", "--filename"})->words() == std::vector<std::string>{"--filename"});
}

TEST_CASE("bind: mistakes are usage errors that say what would be right") {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"one", "--filname=x"}, "unknown flag --filname, did you mean \"--filename\"?"},
      {{"one", "--timeout=soon"}, "expected a duration"},
      {{"one", "--limit=many"}, "expected a whole number"},
      {{"one", "--dry-run=sever"}, "did you mean \"server\"?"},
      {{"one", "-R=perhaps"}, "expected true or false"},
      {{"one", "--recursive="}, "--recursive= has no value"},
      {{"one", "--dry-run="}, "--dry-run= has no value"},
      {{"one", "-n="}, "-n= has no value"},
      {{"one", "--limit="}, "expected a whole number"},
      {{"one", "--timeout="}, "expected a duration"},
      {{"one", "two", "three"}, "unexpected argument \"three\""},
      {{}, "needs NAME..."},
      {{"one", "-f"}, "filename"}};
  for (const auto& [words, expected] : cases) {
    const auto result = parse(words);
    CAPTURE(expected);
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == kubist::util::ErrorKind::usage);
    CHECK(result.error().message.find(expected) != std::string::npos);
    CHECK(result.error().hint == "See 'kubist sample --help'.");
  }
}

TEST_CASE("bind: global flags may stand before the command") {
  CHECK(hoist_global_flags({"-n", "team", "--v=6", "get", "pods"}) ==
        std::vector<std::string>{"get", "-n", "team", "--v=6", "pods"});
  CHECK(hoist_global_flags({"rollout", "-n", "team", "status", "deploy/web", "-w"}) ==
        std::vector<std::string>{"rollout", "status", "-n", "team", "deploy/web", "-w"});
  CHECK(hoist_global_flags({"rollout", "-nteam", "--v=6", "status"}) ==
        std::vector<std::string>{"rollout", "status", "-nteam", "--v=6"});
  CHECK(hoist_global_flags({"create", "-f", "x.yaml"}) ==
        std::vector<std::string>{"create", "-f", "x.yaml"});
}

TEST_CASE("bind: of a global flag before and behind the command the last one counts") {
  CHECK(hoist_global_flags({"-n", "one", "get", "pods", "-n", "two"}) ==
        std::vector<std::string>{"get", "-n", "one", "pods", "-n", "two"});
  CHECK(hoist_global_flags({"-n", "one", "logs", "web", "--", "x"}) ==
        std::vector<std::string>{"logs", "-n", "one", "web", "--", "x"});
  CHECK(hoist_global_flags({"-n", "one", "patch", "pod"}) ==
        std::vector<std::string>{"patch", "pod", "-n", "one"});
  CHECK(hoist_global_flags({"-n", "one", "help", "config", "view"}) ==
        std::vector<std::string>{"help", "config", "view", "-n", "one"});
}
