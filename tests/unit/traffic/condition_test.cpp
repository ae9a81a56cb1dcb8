#include <doctest/doctest.h>

#include <kubist/traffic/condition.hpp>
#include <kubist/util/text.hpp>

using namespace kubist::traffic;
using kubist::util::cat;

namespace {

std::string written_out(std::string_view text) {
  const auto condition = parse_condition(text);
  return condition ? to_string(*condition) : condition.error().message;
}

bool takes(std::string_view text, const Request& request) {
  const auto condition = parse_condition(text);
  REQUIRE_MESSAGE(condition.has_value(), condition.error().message);
  return holds(*condition, request);
}

}  // namespace

TEST_CASE("condition: and binds closer than or, parentheses and not are written out") {
  CHECK(written_out("") == "always");
  CHECK(written_out("  \n ") == "always");
  CHECK(written_out(R"(uri prefix "/a")") == R"(uri prefix "/a")");
  CHECK(written_out(R"(URI Prefix '/a' OR header "X-User" exact "b" AND cookie 'c' present)") ==
        R"(uri prefix "/a" or header "x-user" exact "b" and cookie "c" present)");
  CHECK(
      written_out(R"((uri prefix "/a" or uri prefix "/b") and (method exact "GET" or port 80))") ==
      R"(uri prefix "/a" and method exact "GET" or uri prefix "/a" and port 80)"
      R"( or uri prefix "/b" and method exact "GET" or uri prefix "/b" and port 80)");
  CHECK(written_out(R"(not (header "a" exact "1" or not cookie "b" present))") ==
        R"(not header "a" exact "1" and cookie "b" present)");
  CHECK(written_out(R"(not (header "a" present and header "b" present))") ==
        R"(not header "a" present or not header "b" present)");
  CHECK(written_out(R"(uri prefix "/a" and uri prefix "/a")") == R"(uri prefix "/a")");
}

TEST_CASE("condition: backslashes escape quotes and themselves, regular expressions stay") {
  CHECK(written_out(R"(header "x" exact "say \"a\\b\"")") == R"(header "x" exact "say \"a\\b\"")");
  const auto condition = parse_condition(R"(uri regex "/v\d+\.html")");
  REQUIRE(condition);
  CHECK(condition->alternatives[0][0].value == R"(/v\d+\.html)");
}

TEST_CASE("condition: what is printed reads as the same condition") {
  for (const char* text : {R"(uri exact "/a")", R"(query "q" regex "a|b" and scheme exact "https")",
                           R"(not cookie "a\"b" prefix "\\" or authority prefix "x")"}) {
    CAPTURE(text);
    CHECK(written_out(written_out(text)) == written_out(text));
  }
}

TEST_CASE("condition: faults point at their column") {
  struct Case {
    const char* text;
    std::size_t column;
    const char* why;
  };
  for (const Case& each : {
           Case{R"(uri prefix /a)", 12, "expected a text in quotes"},
           Case{R"(uri prefx "/a")", 5, "did you mean \"prefix\"?"},
           Case{R"(urj prefix "/a")", 1, "did you mean \"uri\"?"},
           Case{R"(uri prefix "a")", 12, "a uri begins with `/`"},
           Case{R"(uri prefix "/a" header "x" present)", 17, "expected `and`, `or` or the end"},
           Case{R"(uri prefix "/a" or)", 19, "expected `not`"},
           Case{R"((uri prefix "/a")", 1, "this parenthesis is not closed"},
           Case{R"(uri prefix "/a"))", 16, "this parenthesis closes nothing"},
           Case{R"(uri prefix "/a)", 12, "this quote is not closed"},
           Case{R"(uri regex "/(")", 11, "not a regular expression"},
           Case{R"(not uri exact "/a")", 5, "`not` is for header and cookie"},
           Case{R"(header "Method" exact "a")", 8, "the mesh ignores a header of this name"},
           Case{R"(header "cookie" exact "a")", 8, "write `cookie"},
           Case{R"(header "" present)", 8, "the name is empty"},
           Case{R"(header "a b" present)", 8, "letters, digits"},
           Case{R"(header "a" exact "")", 18, "write `present` for any value"},
           Case{R"(port 0)", 6, "expected a port from 1 to 65535"},
           Case{R"(uri present)", 5, "expected exact, prefix or regex"},
       }) {
    CAPTURE(each.text);
    const auto condition = parse_condition(each.text);
    REQUIRE_FALSE(condition);
    const std::string& message = condition.error().message;
    CAPTURE(message);
    CHECK(message.find(cat("at column ", each.column, ": ")) != std::string::npos);
    CHECK(message.find(each.why) != std::string::npos);
    CHECK(
        message.ends_with(cat("\n  ", each.text, "\n  ", std::string(each.column - 1, ' '), "^")));
  }
}

TEST_CASE("condition: hostile texts are refused within bounds") {
  CHECK_FALSE(parse_condition(std::string(5000, ' ')));
  CHECK_FALSE(parse_condition(std::string(4000, '(')));
  CHECK_FALSE(parse_condition("uri exact \"/a\x01\""));
  CHECK(parse_condition(cat("query \"", std::string(256, 'q'), "\" present")));
  CHECK_FALSE(parse_condition(cat("query \"", std::string(257, 'q'), "\" present")));
  std::string product = R"((port 1 or port 2))";
  for (int i = 0; i < 20; ++i) {
    product += cat(" and (port ", i + 3, " or method exact \"m", i, "\")");
  }
  const auto condition = parse_condition(product);
  REQUIRE_FALSE(condition);
  CHECK(condition.error().message.find("more than 64 alternatives") != std::string::npos);
  std::string far(3000, ' ');
  far += "oops";
  CHECK(parse_condition(far).error().message.size() < 600);
}

TEST_CASE("condition: regular expressions that a gateway would refuse are refused") {
  const auto why = [](const std::string& text) {
    const auto condition = parse_condition(text);
    return condition ? std::string() : condition.error().message;
  };
  const std::string large = "proxies refuse large ones";
  CHECK(why(R"(uri regex "/\pL{300}")").find(large) != std::string::npos);
  std::string many;
  for (char c = 'a'; c <= 'k'; ++c) {
    many += cat(many.empty() ? "" : " or ", "header \"x\" regex \"", c, "{1000}\"");
  }
  CHECK(why(many).find(large) != std::string::npos);
  CHECK(why(cat("not (", many, ")")).find(large) != std::string::npos);
  CHECK(why(R"(cookie "a" regex "x{1000}" and cookie "b" regex "x{1000}")").find(large) !=
        std::string::npos);
  CHECK(why(R"(uri regex "/[a-z]{1,200}/.*" and cookie "a" regex "[0-9a-f]{64}")") == "");
}

TEST_CASE("condition: holds as the mesh would say") {
  const Request request{.uri = "/shop/cart?x=1&flag",
                        .method = "POST",
                        .scheme = "https",
                        .authority = "shop.example.com",
                        .port = 443,
                        .headers = {{"x-user", "anna"}, {"cookie", "a=1; ex-1=dest-80-v2;b=2"}}};
  for (const char* text :
       {"", R"(uri prefix "/sh")", R"(uri exact "/shop/cart")", R"(uri regex "/shop/.*")",
        R"(method exact "POST" and scheme exact "https")", "port 443",
        R"(authority prefix "shop.")", R"(header "X-USER" regex "an+a")",
        R"(header "x-user" present)", R"(query "x" exact "1")", R"(query "flag" present)",
        R"(cookie "ex-1" exact "dest-80-v2")", R"(cookie "a" exact "1" and cookie "b" prefix "2")",
        R"(not cookie "c" present)", R"(not header "x-user" exact "bob")"}) {
    CAPTURE(text);
    CHECK(takes(text, request));
  }
  for (const char* text :
       {R"(uri exact "/shop")", R"(uri regex "/shop")", R"(header "other" present)",
        R"(cookie "ex-1" exact "dest-80-v")", R"(cookie "x-1" present)", R"(cookie "1" present)",
        R"(not cookie "a" present)", R"(query "y" present)", "port 80"}) {
    CAPTURE(text);
    CHECK_FALSE(takes(text, request));
  }
}
