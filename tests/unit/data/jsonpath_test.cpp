#include <doctest/doctest.h>

#include <kubist/data/jsonpath.hpp>

using namespace kubist;
using data::Json;
using data::JsonPath;

namespace {

const Json& object() {
  static const Json object = Json::parse(R"({"apiVersion":"v1","kind":"ConfigMap",
    "metadata":{"name":"x","labels":{"golden":"yes","a.b/c":"d"}},
    "spec":{"n":null,"f":1.5,"big":1e21,"m":12345678.5,"i":3,"b":true,"l":[1,2,3],
            "o":[{"n":"a","v":1},{"n":"b","v":2.5},{"n":"c"}],"s":"<x>","e":[]}})");
  return object;
}

std::string print(const char* text) {
  const auto path = JsonPath::compile(text);
  if (!path) {
    return "compile: " + path.error().message;
  }
  std::string out;
  const auto done = path->print(object(), out);
  return done ? out : "error: " + done.error().message;
}

}  // namespace

TEST_CASE("JsonPath: an expression that multiplies what it finds is stopped") {
  std::string names = "'metadata'";
  for (int i = 0; i < 200; ++i) {
    names += ",'metadata'";
  }
  const std::string step = "[" + names + "]";
  Json nested = 1;
  for (int level = 0; level < 6; ++level) {
    nested = Json{{"metadata", nested}};
  }
  std::string out;
  const auto path = JsonPath::compile("{" + step + step + step + step + step + "}");
  REQUIRE(path);
  const auto done = path->print(nested, out);
  REQUIRE_FALSE(done);
  CHECK(done.error().message == "the jsonpath selects too many values");
}

TEST_CASE("JsonPath: no step finds more than may be found") {
  const auto fails = [](const char* text, const Json& root, std::size_t most) {
    const auto path = JsonPath::compile(text);
    REQUIRE(path);
    const auto found = path->find(root, data::MissingKeys::allow, most);
    return !found && found.error().message == "the jsonpath selects too many values";
  };
  const Json rows = Json::array_t(100, Json::array_t(100, "x"));  // 10,101 values with the lists
  CHECK(fails("{..}", rows, 10'000));
  CHECK_FALSE(fails("{..}", rows, 20'000));
  const Json text = std::string(data::k_most_found + 1, 'x');
  CHECK(fails("{.*}", text, data::k_most_found));
  CHECK_FALSE(fails("{.*}", text, data::k_most_printed));
  // Whoever does not say how many finds those of an object.
  CHECK_FALSE(JsonPath::compile("{.*}")->find(text));
  std::string out;
  CHECK(JsonPath::compile("{.*}")->print(text, out));
}

// Made with: kubectl label --local --overwrite -f - golden=yes -o jsonpath=TEMPLATE (1.32.4)
TEST_CASE("JsonPath: prints what kubectl prints") {
  CHECK(
      print("{@}") ==
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"labels":{"a.b/c":"d","golden":"yes"},"name":"x"},"spec":{"b":true,"big":1e+21,"e":[],"f":1.5,"i":3,"l":[1,2,3],"m":12345678.5,"n":null,"o":[{"n":"a","v":1},{"n":"b","v":2.5},{"n":"c"}],"s":"\u003cx\u003e"}})");
  CHECK(print("{.}") == "");
  CHECK(print("{.spec.n}") == "null");
  CHECK(print("{.spec.f} {.spec.big} {.spec.m}") == "1.5 1e+21 1.23456785e+07");
  CHECK(print("{.nope}") == "");
  CHECK(print("{.spec['n','f','i']}") == "null 1.5 3");
  CHECK(print("{.spec.s.*}") == "60 120 62");
  CHECK(print("{.spec.l[-1:]}") == "3");
  CHECK(print("{.spec.l[-1]}") == "3");
  CHECK(print("{.spec.l[::2]}") == "1 3");
  CHECK(print("{.spec.l[0,2]}") == "1 3");
  CHECK(print("{.spec.l[1:1]}") == "");
  CHECK(print("{.metadata.labels.a\\.b/c}") == "d");
  CHECK(print("{range .spec.o[*]}{.n}={.v}{\"\\n\"}{end}") == "a=1\nb=2.5\nc=\n");
  CHECK(print("{range .spec.e[*]}{.n}{end}x") == "x");
  CHECK(print("{range .spec.l[*]}[{@}]").starts_with("[1][2][3][{\"apiVersion\""));
  CHECK(print("{.spec.o[?(@.v)].n}") == "a b");
  CHECK(print("{..n}") == "null a b c");
  CHECK(print("{.spec.l}{.spec.o[0]}") == R"([1,2,3]{"n":"a","v":1})");
  CHECK(print("{.spec.o[?(@.n==\"b\")]}") == R"({"n":"b","v":2.5})");
  CHECK(print("{.spec.l[?(@>1)]}") == "2 3");
  CHECK(print("{.spec.o[?(@.n!=\"b\")].n}") == "a c");
  CHECK(print("{\"a\\tb\\\"c\"}") == "a\tb\"c");
  CHECK(print("plain") == "plain");
  CHECK(print("{.spec.o[*].v}") == "1 2.5");
  CHECK(print("{.metadata['name']}") == "x");
  CHECK(print("{3}{1.5}{true}") == "31.5true");
  CHECK(print("{.spec.s}") == "<x>");
}

TEST_CASE("JsonPath: compares whole and real numbers, which kubectl refuses") {
  CHECK(print("{.spec.o[?(@.v>0)].n}") == "a b");
}

TEST_CASE("JsonPath: fails where kubectl fails") {
  CHECK(print("{.spec.l[5]}") == "error: array index out of bounds: index 5, length 3");
  CHECK(print("{.spec.l[2:1]}") == "error: starting index 2 is greater than ending index 1");
  CHECK(print("{.spec.l[0:3:0]}") == "error: the step of a slice must be greater than 0");
  CHECK(print("{.spec.i[0]}") == "error: a number is no list");
  CHECK(print("{.spec[?(@.x)]}") == "error: a object is no list and cannot be filtered");
  CHECK(print("{end}").starts_with("compile:"));
  CHECK(print("{foo}").find("did you mean .foo?") != std::string::npos);
  CHECK(print("{.spec").find("column 7: unclosed action") != std::string::npos);
  CHECK(print("{.spec.l[a]}").find("invalid array index a") != std::string::npos);
  CHECK(print("{.spec.o[?(@.n=='a']}").find("unterminated filter") != std::string::npos);
  CHECK(print("{\"a}").find("unterminated quoted string") != std::string::npos);
  CHECK(print("{...a}").starts_with("compile:") == false);
}

TEST_CASE("JsonPath: missing keys are errors where asked") {
  const auto path = JsonPath::compile("{.spec.nope}");
  REQUIRE(path);
  CHECK(path->find(object(), data::MissingKeys::error).error().message == "nope is not found");
  CHECK(path->find(object(), data::MissingKeys::allow)->values().empty());
}

TEST_CASE("JsonPath: relaxed forms are the same path") {
  for (const char* text : {"spec.i", ".spec.i", "{.spec.i}", "{spec.i}"}) {
    const auto path = JsonPath::compile_relaxed(text);
    REQUIRE(path);
    const auto found = path->find(object());
    REQUIRE(found);
    CHECK(*found->values().at(0) == 3);
  }
  CHECK(!JsonPath::compile_relaxed("{.a}{.b}"));
  CHECK(!JsonPath::compile_relaxed(""));
}

TEST_CASE("JsonPath: deep nesting is refused") {
  std::string text = "{.a";
  for (int i = 0; i < 200; ++i) {
    text += "[?(@.a";
  }
  CHECK(!JsonPath::compile(text));
  CHECK(!JsonPath::compile(std::string(100'000, '{')));
}
