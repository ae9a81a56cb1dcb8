#include <doctest/doctest.h>

#include <kubist/data/json_text.hpp>
#include <kubist/data/yaml_writer.hpp>

#include "golden.hpp"

using namespace kubist;
using data::Json;

namespace {

/// The first line that differs, so that a failure can be read.
void check_same_lines(const std::string& ours, const std::string& theirs) {
  if (ours == theirs) {
    return;
  }
  std::size_t at = 0;
  while (at < ours.size() && at < theirs.size() && ours[at] == theirs[at]) {
    ++at;
  }
  const std::size_t line = std::min(ours.rfind('\n', at), theirs.rfind('\n', at)) + 1;
  CHECK(ours.substr(line, 300) == theirs.substr(line, 300));
}

}  // namespace

TEST_CASE("to_yaml: prints what kubectl prints") {
  for (const std::string& name : golden::names()) {
    INFO(name);
    std::string ours;
    for (const data::Document& document : golden::input(name)) {
      data::write_yaml(document.value, ours);
    }
    check_same_lines(ours, golden::read_file(golden::root() / "yaml" / (name + ".yaml")));
  }
}

TEST_CASE("to_yaml: reads back as the same value") {
  for (const std::string& name : golden::names()) {
    INFO(name);
    for (const data::Document& document :
         golden::documents(golden::root() / "json" / (name + ".json"))) {
      const auto again =
          data::read_documents(data::to_yaml(document.value), "again", golden::as_kubectl());
      REQUIRE(again);
      REQUIRE(again->size() == 1);
      CHECK(again->front().value == document.value);
    }
  }
}

TEST_CASE("to_kubectl_json: prints what kubectl prints") {
  for (const std::string& name : golden::names()) {
    INFO(name);
    std::string ours;
    for (const data::Document& document : golden::input(name)) {
      ours += data::to_kubectl_json(document.value);
    }
    check_same_lines(ours, golden::read_file(golden::root() / "json" / (name + ".json")));
  }
}

TEST_CASE("to_yaml: scalars and empty values") {
  CHECK(data::to_yaml(Json("x")) == "x\n");
  CHECK(data::to_yaml(Json::object()) == "{}\n");
  CHECK(data::to_yaml(Json::array()) == "[]\n");
  CHECK(data::to_yaml(nullptr) == "null\n");
}

TEST_CASE("to_json: one line, bytes that are not UTF-8 become U+FFFD") {
  CHECK(data::to_json(Json::parse(R"({"b":[1,2.5,{}],"a":"<\u2028>"})")) ==
        R"({"a":"<\u2028>","b":[1,2.5,{}]})");
  CHECK(data::to_json(Json("a\xFF")) == R"("a\ufffd")");
  CHECK(data::to_yaml(Json("a\xFF")) == "a\uFFFD\n");
}
