#include <doctest/doctest.h>

#include <kubist/data/yaml_edit.hpp>

using namespace kubist;
using data::Json;

namespace {

/// Replaces /spec/routes of the document with this index; the error's text where it cannot.
std::string edited(const std::string& text, const Json& value, std::size_t index = 0) {
  const auto documents = data::read_documents(text, "file.yaml");
  REQUIRE(documents);
  const auto result = data::replace_value(documents->at(index), "/spec/routes", value);
  return result ? *result : result.error().to_string();
}

const Json k_routes = Json::parse(R"([{"name": "a", "weights": [{"weight": 1}]}, {"name": "b"}])");

}  // namespace

TEST_CASE("yaml edit: a value changes, and all else stays to the byte") {
  const std::string text =
      "# ours\n"
      "kind: Route   # a comment\n"
      "spec:\n"
      "  hosts: [ 'a.b' ]\n"
      "  routes:\n"
      "  - name: old   # goes\n"
      "\n"
      "    weights: [{weight: 2}]\n"
      "\n"
      "  # about drift\n"
      "  drift:   Report\n"
      "---\n"
      "kind: Other\n";
  CHECK(edited(text, k_routes) ==
        "# ours\n"
        "kind: Route   # a comment\n"
        "spec:\n"
        "  hosts: [ 'a.b' ]\n"
        "  routes:\n"
        "    - name: a\n"
        "      weights:\n"
        "      - weight: 1\n"
        "    - name: b\n"
        "\n"
        "  # about drift\n"
        "  drift:   Report\n"
        "---\n"
        "kind: Other\n");
}

TEST_CASE("yaml edit: the second document, line ends of Windows, a value in flow style, the end") {
  CHECK(edited("kind: A\r\n---\r\nspec:\r\n  routes: [1,\r\n    2]\r\n", Json{1, 2, 3}, 1) ==
        "kind: A\r\n---\r\nspec:\r\n  routes:\r\n    - 1\r\n    - 2\r\n    - 3\r\n");
  CHECK(edited("spec:\n  routes:\n    - 1", Json("none")) == "spec:\n  routes: none\n");
  CHECK(edited("spec:\n  routes: 1", Json::array()) == "spec:\n  routes: []\n");
}

TEST_CASE("yaml edit: where it would go wrong nothing is written") {
  CHECK(edited("spec: {routes: [1]}\n", k_routes).find("file.yaml:1:8") == 0);
  CHECK(edited("spec: {routes: [1]}\n", k_routes).find("does not begin a line") !=
        std::string::npos);
  CHECK(edited("{\"spec\": {\n  \"routes\": [1]\n}}\n", k_routes).find("does not begin a line") !=
        std::string::npos);
  CHECK(edited("spec:\n  routes: &all\n  - 1\n  other: *all\n", k_routes)
            .find("not read as wanted") != std::string::npos);
}
