#include <cmath>
#include <map>

#include <doctest/doctest.h>

#include <kubist/policies/expression.hpp>

using namespace kubist;
using policies::Expression;
using policies::Value;

namespace {

const std::vector<std::string> k_names{"canary.errorRate", "stable.errorRate", "zero", "high",
                                       "unseen"};

Value value_of(const std::string& name) {
  static const std::map<std::string, double> values{
      {"canary.errorRate", 0.02}, {"stable.errorRate", 0.01}, {"zero", 0}, {"high", INFINITY}};
  const auto found = values.find(name);
  return found == values.end() ? Value{0, "NoData", "never seen"} : Value{found->second, "", ""};
}

Value evaluate(std::string_view text) {
  const auto read = Expression::parse(text, k_names);
  REQUIRE_MESSAGE(read, (read ? "" : read.error().message));
  return read->evaluate(value_of);
}

std::string error_of(std::string_view text) {
  const auto read = Expression::parse(text, k_names);
  return read ? "" : read.error().message;
}

}  // namespace

TEST_CASE("expression: numbers, precedence and associativity are those of arithmetic") {
  CHECK(evaluate("1 + 2 * 3 - 4 / 2").number == 5);
  CHECK(evaluate("10 - 3 - 2").number == 5);
  CHECK(evaluate("-(1 + 2) * -1e1").number == 30);
  CHECK(evaluate("2*.5").number == 1);
  CHECK(evaluate("1 < 2 && 3 >= 3 || 1 == 2").number == 1);
  CHECK(evaluate("!(1 != 1) && 2 <= 1").number == 0);
  CHECK(evaluate("canary.errorRate <= 2 * stable.errorRate").number == 1);
  CHECK(Expression::parse("1 < 2", k_names)->is_condition());
  CHECK_FALSE(Expression::parse("1 + 2", k_names)->is_condition());
}

TEST_CASE("expression: what cannot be told is unknown, unless one side suffices") {
  CHECK(evaluate("1 / zero").unknown == "NotANumber");
  CHECK(evaluate("zero / zero < 1").unknown == "NotANumber");
  CHECK(evaluate("high - high > 0").unknown == "NotANumber");
  CHECK(evaluate("high < 500").number == 0);
  CHECK(evaluate("unseen + 1 > 0").unknown == "NoData");
  CHECK(evaluate("unseen > 0 && 1 < 2").unknown == "NoData");
  CHECK(evaluate("unseen > 0 && 2 < 1").unknown.empty());
  CHECK(evaluate("1 < 2 || unseen > 0").number == 1);
  CHECK(evaluate("!(unseen > 0)").unknown == "NoData");
}

TEST_CASE("expression: an error shows the place and what was meant") {
  const std::string unknown = error_of("1 < 2 &&\n canary.errorate < 1");
  CHECK(unknown.find("column 11") != std::string::npos);
  CHECK(unknown.find("did you mean \"canary.errorRate\"") != std::string::npos);
  CHECK(unknown.find("\n   canary.errorate < 1\n   ^") != std::string::npos);
  CHECK(error_of("").find("expected a number") != std::string::npos);
  CHECK(error_of("1 +").find("column 4") != std::string::npos);
  CHECK(error_of("(1 + 2").find("not closed") != std::string::npos);
  CHECK(error_of("1)").find("closes nothing") != std::string::npos);
  CHECK(error_of("1 2").find("expected an operator") != std::string::npos);
  CHECK(error_of("1x").find("not a decimal number") != std::string::npos);
  CHECK(error_of("1e999").find("not a decimal number") != std::string::npos);
  CHECK(error_of("zero && 1 < 2").find("this is a number where a condition") != std::string::npos);
  CHECK(error_of("1 + (1 < 2)").find("this is a condition where a number") != std::string::npos);
  CHECK(error_of("1 < 2 < 3").find("expected an operator") != std::string::npos);
  CHECK(error_of("if (zero) { result = nil }").find("nothing is called if") != std::string::npos);
  CHECK(error_of(std::string(100, '(') + "1").find("deeper than") != std::string::npos);
  CHECK(error_of(std::string(100, '-') + "1").find("deeper than") != std::string::npos);
  CHECK(error_of(std::string(5000, '1')).find("characters") != std::string::npos);
}
