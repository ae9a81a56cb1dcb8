#include <doctest/doctest.h>

#include <kubist/metrics/promql.hpp>

using namespace kubist::metrics;

namespace {

std::string problem(const char* text, const std::map<std::string, std::string>& values) {
  const auto filled = fill_template(text, values);
  return filled ? "" : filled.error().message;
}

}  // namespace

TEST_CASE("promql: values are literals that cannot be left") {
  CHECK(promql_quote("a\"b\\c\nd") == R"("a\"b\\c\nd")");
  CHECK(regex_literal("web.shop|x(1)") == R"(web\.shop\|x\(1\))");
}

TEST_CASE("promql: a template's places take values as its quotes want them") {
  const std::map<std::string, std::string> values{{"version", R"(v"1\)"},
                                                  {"interval", "1m30s"},
                                                  {"limit", "0.5"},
                                                  {"tick", "a`b"},
                                                  {"code", "1+2"}};
  CHECK(
      *fill_template(R"(sum(rate(m{v="{{version}}",w='{{ version }}'}[{{interval}}])) > {{limit}})",
                     values) == R"(sum(rate(m{v="v\"1\\",w='v"1\\'}[1m30s])) > 0.5)");
  CHECK(*fill_template(R"(m{a="\"{{limit}}"})", values) == R"(m{a="\"0.5"})");
  CHECK(*fill_template("m{a=`{{version}}`}", values) == R"(m{a=`v"1\`})");
  CHECK(*fill_template("plain", {}) == "plain");
  CHECK(problem("m{a=`{{tick}}`}", values).find("backtick") != std::string::npos);
  CHECK(problem("m + {{code}}", values).find("neither a number nor a duration") !=
        std::string::npos);
  CHECK(problem("m[{{version}}]", values).find("outside quotes") != std::string::npos);
  CHECK(problem(R"(m{a="{{versoin}}"})", values).find("did you mean \"version\"") !=
        std::string::npos);
  CHECK(problem("{{open", values).find("'}}'") != std::string::npos);
}
