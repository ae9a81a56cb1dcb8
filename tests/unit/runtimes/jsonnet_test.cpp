#include <array>

#include <doctest/doctest.h>

#include <kubist/runtimes/jsonnet.hpp>

#include "support/paths.hpp"

using namespace kubist::runtimes;
using namespace std::chrono_literals;
using kubist::util::ErrorKind;

namespace {

JsonnetOptions options() {
  JsonnetOptions options;
  options.program = kubist::paths::jsonnet_child();
  options.args = {};
  return options;
}

Answer one(const std::string& source, const std::string& input, JsonnetOptions given = options()) {
  Jsonnet jsonnet(std::move(given));
  std::vector<std::string> inputs{input};
  return jsonnet.call("policy.jsonnet", source, inputs).front();
}

std::string error_of(const Answer& answer) {
  return answer.output ? "no error" : answer.output.error().to_string();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("jsonnet: a function is called on its input") {
  CHECK(*one("function(x) x {b: x.a + 1}", R"({"a": 1})").output == R"({"a":1,"b":2})");
  CHECK(*one("// a comment\nlocal f(x) = x; f // at the end", "[1]").output == "[1]");
}

TEST_CASE("jsonnet: text keeps its bytes") {
  CHECK(*one("function(x) x", R"({"k":"ä \u0001 \"\\ 日本"})").output ==
        "{\"k\":\"ä \\u0001 \\\"\\\\ 日本\"}");
}

TEST_CASE("jsonnet: many inputs share one child, answers are kept") {
  Jsonnet jsonnet(options());
  std::vector<std::string> inputs;
  for (int i = 0; i < 50; ++i) {
    inputs.push_back(std::to_string(i));
  }
  auto answers = jsonnet.call("p", "function(x) x * 2", inputs);
  CHECK(*answers[49].output == "98");
  CHECK_FALSE(answers[49].cached);
  inputs.push_back("1000");
  answers = jsonnet.call("p", "function(x) x * 2", inputs);
  CHECK(answers[49].cached);
  CHECK_FALSE(answers[50].cached);
  CHECK(*answers[50].output == "2000");
  CHECK_FALSE(jsonnet.call("p", "function(x) x * 3", inputs)[0].cached);
}

TEST_CASE("jsonnet: answers are kept as far as their bytes go") {
  JsonnetOptions small = options();
  small.max_cached_bytes = 9600;
  Jsonnet jsonnet(small);
  const auto is_kept = [&](const std::string& length) {
    return jsonnet.call("p", "function(x) std.repeat('x', x)", std::array{length})[0].cached;
  };
  CHECK_FALSE(is_kept("200"));
  CHECK_FALSE(is_kept("200"));  // more than its share
  for (int length = 20; length <= 140; ++length) {
    is_kept(std::to_string(length));
  }
  CHECK(is_kept("140"));
  CHECK(is_kept("100"));
  CHECK_FALSE(is_kept("20"));  // the oldest
}

TEST_CASE("jsonnet: one bad input fails alone") {
  Jsonnet jsonnet(options());
  std::vector<std::string> inputs{"1", "2", "\"bad\"", "4", "5"};
  auto answers = jsonnet.call("p", "function(x) if x == 'bad' then error 'no ' + x else x", inputs);
  CHECK(*answers[0].output == "1");
  CHECK(*answers[4].output == "5");
  CHECK(contains(error_of(answers[2]), "no bad"));
}

TEST_CASE("jsonnet: answers are as deep as JSON may be, and one that is deeper fails alone") {
  Jsonnet jsonnet(options());
  const std::vector<std::string> depths{"450", "1", "900"};
  auto answers = jsonnet.call(
      "p", "function(n) std.foldl(function(a, b) [a], std.range(1, n), 1e100)", depths);
  REQUIRE(answers[0].output);
  CHECK(*answers[0].output == std::string(450, '[') + "1e+100" + std::string(450, ']'));
  CHECK(*answers[1].output == "[1e+100]");
  CHECK_FALSE(answers[2].output);
}

TEST_CASE("jsonnet: errors name file, line and column of the source") {
  CHECK(contains(error_of(one("function(x) x.nope", "{}")), "policy.jsonnet:1:13-19"));
  CHECK(contains(error_of(one("function(x)\n  x.nope", "{}")), "policy.jsonnet:2:3-9"));
  CHECK(contains(error_of(one("function(x) {", "{}")), "policy.jsonnet:"));
}

TEST_CASE("jsonnet: nothing of the outside is to be had") {
  for (const char* source :
       {"function(x) import '/etc/hostname'", "function(x) importstr '/etc/hostname'",
        "function(x) importstr 'policy.jsonnet'"}) {
    CHECK_MESSAGE(contains(error_of(one(source, "{}")), "imports are not allowed"), source);
  }
  CHECK_FALSE(one("function(x) std.extVar('HOME')", "{}").output);
  CHECK_FALSE(one("function(x) std.native('read')()", "{}").output);
}

TEST_CASE("jsonnet: limits have names") {
  SUBCASE("recursion") {
    CHECK(contains(error_of(one("function(x) local f(n) = 1 + f(n + 1); f(0)", "{}")),
                   "max stack frames exceeded"));
  }
  SUBCASE("a loop that never ends") {
    auto given = options();
    given.limits.cpu = 1s;
    auto answer =
        one("function(x) std.foldl(function(a, b) a + b, std.range(1, 100000000), 0)", "{}", given);
    REQUIRE_FALSE(answer.output);
    auto reason = answer.output.error().reason;
    CHECK_MESSAGE((reason == "CPULimit" || reason == "MemoryLimit"), error_of(answer));
  }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  SUBCASE("memory") {
    auto given = options();
    given.limits.memory_bytes = 128ULL << 20U;
    auto answer =
        one("function(x) std.length(std.join('', [std.repeat('x', 1000000) "
            "for i in std.range(1, 2000)]))",
            "{}", given);
    REQUIRE_FALSE(answer.output);
    CHECK_MESSAGE(answer.output.error().reason == "MemoryLimit", error_of(answer));
  }
#endif
  SUBCASE("output") {
    auto given = options();
    given.limits.output_bytes = 1000;
    auto answer = one("function(x) std.repeat('x', 100000)", "{}", given);
    REQUIRE_FALSE(answer.output);
    CHECK(answer.output.error().reason == "OutputLimit");
  }
  SUBCASE("nesting") {
    auto answer = one(std::string(20000, '[') + std::string(20000, ']'), "{}");
    REQUIRE_FALSE(answer.output);
    CHECK(answer.output.error().kind == ErrorKind::invalid);
  }
}

TEST_CASE("jsonnet: check tells a function from other things") {
  Jsonnet jsonnet(options());
  CHECK(jsonnet.check("p", "function(x) x"));
  CHECK(contains(jsonnet.check("p", "{a: 1}").error().message, "not a function"));
  CHECK(contains(jsonnet.check("p", "function(x").error().message, "p:"));
}

TEST_CASE("jsonnet: a source that is no function fails all inputs at once") {
  Jsonnet jsonnet(options());
  std::vector<std::string> inputs(20, "1");
  auto answers = jsonnet.call("p", "42", inputs);
  CHECK(contains(error_of(answers[0]), "not a function"));
  CHECK(contains(error_of(answers[19]), "not a function"));
}

TEST_CASE("jsonnet: a stop request ends it") {
  std::stop_source source;
  source.request_stop();
  Jsonnet jsonnet(options());
  std::vector<std::string> inputs{"1"};
  auto answers = jsonnet.call("p", "function(x) x", inputs, source.get_token());
  REQUIRE_FALSE(answers[0].output);
  CHECK(answers[0].output.error().kind == ErrorKind::cancelled);
}
