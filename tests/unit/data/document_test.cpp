#include <doctest/doctest.h>

#include <kubist/data/compare.hpp>
#include <kubist/data/document.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/util/text.hpp>

#include "golden.hpp"

using namespace kubist;
using data::read_documents;

namespace {

std::string error_of(std::string_view text, const data::ReadOptions& options = {}) {
  const auto documents = read_documents(text, "f.yaml", options);
  REQUIRE(!documents);
  return documents.error().to_string();
}

data::Json value_of(std::string_view text) {
  const auto document = data::read_document(text, "f.yaml");
  if (!document) {
    FAIL(document.error().to_string());
  }
  return document->value;
}

bool has(const std::string& text, std::string_view part) {
  INFO(text);
  CHECK(text.find(part) != text.npos);
  return true;
}

}  // namespace

TEST_CASE("read_documents: gives the values that kubectl gives") {
  for (const std::string& name : golden::names()) {
    INFO(name);
    const auto ours = golden::input(name);
    const auto theirs = golden::documents(golden::root() / "json" / (name + ".json"));
    REQUIRE(ours.size() == theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      for (const std::string& place : data::differences(ours[i].value, theirs[i].value)) {
        INFO(place);
        INFO(ours[i].value.at(data::Json::json_pointer(place)).dump());
        CHECK(ours[i].value.at(data::Json::json_pointer(place)) ==
              theirs[i].value.at(data::Json::json_pointer(place)));
      }
    }
  }
}

TEST_CASE("read_documents: skips what is empty and numbers the rest") {
  const auto documents =
      read_documents("# c\n---\n---\na: 1\n---\n# only this\n---\n~\n--- {b: 2}\n", "f.yaml");
  REQUIRE(documents);
  REQUIRE(documents->size() == 2);
  CHECK((*documents)[0].start == util::SourcePos{"f.yaml", 4, 1});
  CHECK((*documents)[1].start == util::SourcePos{"f.yaml", 9, 5});
  CHECK((*documents)[1].index == 1);
  CHECK((*documents)[1].value == data::Json{{"b", 2}});
  CHECK(read_documents("", "f")->empty());
  CHECK(read_documents("\n\n", "f")->empty());
}

TEST_CASE("read_documents: takes CRLF, byte order marks and UTF-16") {
  CHECK(value_of("a: 1\r\nb: x\r\n") == data::Json{{"a", 1}, {"b", "x"}});
  CHECK(value_of("\xEF\xBB\xBF"
                 "a: 1\n") == data::Json{{"a", 1}});
  CHECK(value_of("\xEF\xBB\xBF{\"a\": 1}") == data::Json{{"a", 1}});
  CHECK(value_of(std::string_view("a\0:\0 \0\xE9\0\n\0", 10)) == data::Json{{"a", "é"}});
  CHECK(value_of(std::string_view("\xFE\xFF\0a\0:\0 \xD8\x3D\xDE\x00", 12)) ==
        data::Json{{"a", "😀"}});
}

TEST_CASE("read_documents: JSON values may follow each other, and YAML may follow JSON") {
  const auto documents = read_documents("{\"a\":1} {\"a\":2}\n---\na: 3\n", "f.json");
  REQUIRE(documents);
  REQUIRE(documents->size() == 3);
  CHECK((*documents)[2].value == data::Json{{"a", 3}});
  CHECK((*documents)[1].position("/a") == util::SourcePos{"f.json", 1, 14});
  CHECK((*documents)[2].position("/a") == util::SourcePos{"f.json", 3, 4});
}

TEST_CASE("read_documents: an error of the handler ends the reading") {
  int seen = 0;
  const auto result = data::for_each_document(
      "a: 1\n---\na: 2\n", "f", {}, [&](data::Document&&) -> util::Result<> {
        ++seen;
        return util::fail(util::ErrorKind::denied, "enough");
      });
  REQUIRE(!result);
  CHECK(result.error().message == "enough");
  CHECK(seen == 1);
}

TEST_CASE("read_documents: bytes of !!binary that are no text become U+FFFD, as in kubectl") {
  const auto documents = read_documents("a: !!binary aGVsbG8gd+9ybGQ=\n", "f.yaml");
  REQUIRE(documents);
  CHECK(documents->front().value["a"] == "hello w\uFFFDrld");
}

TEST_CASE("read_documents: errors say where and what to do") {
  has(error_of("a: 1\n b: 2\n"), "f.yaml:2:3: mapping values are not allowed in this context");
  has(error_of("a: 1\n\tb: 2\n"), "tabs");
  has(error_of("---\na: 1\n---\nb: [1\n"), "f.yaml:5:1: did not find expected ',' or ']'");
  has(error_of("a: 1\nb: 2\na: 3\n"), "f.yaml:3:1: duplicate key \"a\"");
  has(error_of("a: *x\n"), "f.yaml:1:4: alias *x has no anchor before it");
  has(error_of("a: &x [*x]\n"), "alias *x has no anchor before it");
  has(error_of("~: 1\n"), "null cannot be a key");
  has(error_of("[a]: 1\n"), "a map or list cannot be a key");
  has(error_of("a: .inf\n"), ".inf has no JSON form");
  has(error_of("a: 99999999999999999999\n"), "does not fit in 64 bits");
  has(error_of("a: !!int b\n"), "\"b\" is no int");
  has(error_of("a: !!binary '*'\n"), "not base64");
  has(error_of("a: 1\nb: \xFF\n"), "f.yaml:2:4: ");
  has(error_of("<<: 1\n"), "merge key");
}

TEST_CASE("read_documents: the integer that a double is written as is that double") {
  for (const char* number : {"10000000000000000000", "-9223372036854776000"}) {
    const data::Json read = value_of(util::cat("{\"a\": ", number, "}"));
    CHECK(read["a"].is_number_float());
    CHECK(read == value_of(util::cat("a: ", number)));
    CHECK(data::to_json(read) == util::cat("{\"a\":", number, "}"));
  }
  has(error_of("{\"a\": 10000000000000000001}"), "does not fit in 64 bits");
  has(error_of("a: 10000000000000000001"), "does not fit in 64 bits");
}

TEST_CASE("read_documents: JSON errors say where and what to do") {
  has(error_of("{\n  \"a\": 1,\n}"), "f.yaml:3:1: expected a key in double quotes but found '}'");
  has(error_of("{a: 1}"), "text that begins with { is read as JSON");
  has(error_of("{\"a\": [1, 2"), "the JSON text ends where ',' or ']' should be");
  has(error_of("{\"a\": 01}"), "not a JSON number");
  has(error_of("{\"é\": tru}"), "f.yaml:1:7: expected a value but found 't'");
  has(error_of("{\"a\": \"x\ny\"}"), "control character");
  has(error_of("{\"a\": 1, \"a\": 2}"), "f.yaml:1:10: duplicate key \"a\"");
  has(error_of("{\"a\": 18446744073709551615}"), "does not fit in 64 bits");
  has(error_of("{\"a\": 1e999}"), "out of range");
  has(error_of("{\"a\": \"\xFF\"}"), "not UTF-8");
  has(error_of("{\"a\": \"\\x\"}"), "expected an escape");
}

TEST_CASE("read_documents: keeps its limits") {
  data::ReadOptions options;
  options.max_bytes = 10;
  has(error_of("a: 0123456789", options), "more than the limit of 10");
  options = {};
  has(error_of(std::string(100'000, '[')), "nested deeper than 500 levels");
  has(error_of("{\"a\":" + std::string(100'000, '[')), "nested deeper than 500 levels");
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']');
  };
  CHECK(read_documents(nested(500), "f.yaml"));
  has(error_of(nested(501)), "nested deeper than 500 levels");
  options.max_nodes = 4;
  has(error_of("[1, 2, 3, 4]", options), "more than 4 values");
}

TEST_CASE("read_documents: a billion laughs stay small") {
  std::string bomb = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string n = std::to_string(i);
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + n + ": &a" + n + " [";
    for (int j = 0; j < 9; ++j) {
      bomb += before + (j < 8 ? "," : "]\n");
    }
  }
  has(error_of(bomb), "anchors and aliases expand to more than 200000 values");
}

TEST_CASE("read_documents: aliases cannot nest past the depth limit") {
  std::string text = "a0: &a0 [x]\n";
  for (int i = 1; i < 600; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) +
            "]\n";
  }
  data::ReadOptions options;
  options.max_alias_nodes = 10'000'000;
  has(error_of(text, options), "aliases nest deeper than 500 levels");
}

TEST_CASE("Document: knows where its nodes stand") {
  const auto documents = read_documents(
      "é: x\n---\n# two\nmetadata:\n  name: a\n  labels: {x: y, \"a/b\": z}\nitems:\n"
      "- one\n- k: [1,\n     2]\nbase: &b {q: 1}\nuse: *b\nmerged:\n  <<: *b\n  own: 1\n",
      "f.yaml");
  REQUIRE(documents);
  const data::Document& document = documents->at(1);
  const data::PositionLookup at = document.lookup();
  auto pos = [](std::size_t line, std::size_t column) {
    return util::SourcePos{"f.yaml", line, column};
  };
  CHECK(document.start == pos(4, 1));
  CHECK(at("", data::At::value) == pos(4, 1));
  CHECK(at("/metadata/name", data::At::value) == pos(5, 9));
  CHECK(at("/metadata/name", data::At::key) == pos(5, 3));
  CHECK(at("/metadata/labels/a~1b", data::At::key) == pos(6, 18));
  CHECK(at("/items/0", data::At::key) == pos(8, 3));
  CHECK(at("/items/1/k/1", data::At::value) == pos(10, 6));
  CHECK(at("/use/q", data::At::value) == pos(12, 6));
  CHECK(at("/merged/q", data::At::value) == pos(14, 3));
  CHECK(at("/merged/own", data::At::value) == pos(15, 8));
  CHECK(at("/metadata/missing/deep", data::At::key) == pos(5, 3));
  CHECK(document.position("/items") == pos(8, 1));
}

TEST_CASE("Document: without source every position is its start") {
  data::ReadOptions options;
  options.keep_source = false;
  const auto documents = read_documents("a:\n  b: 1\n", "f", options);
  REQUIRE(documents);
  CHECK((*documents)[0].source == nullptr);
  CHECK((*documents)[0].position("/a/b") == util::SourcePos{"f", 1, 1});
}

TEST_CASE("read_document: wants exactly one") {
  has(data::read_document("", "f").error().to_string(), "found none");
  has(data::read_document("a: 1\n---\nb: 1\n", "f").error().to_string(), "f:3:1: expected one");
}

TEST_CASE("parse_json: takes any one value") {
  CHECK(*data::parse_json(" [1, \"a\"] ", "r") == data::Json{1, "a"});
  CHECK(*data::parse_json("null", "r") == nullptr);
  CHECK(!data::parse_json("1 2", "r"));
  CHECK(!data::parse_json("", "r"));
}
