#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <kubist/state/contract.hpp>
#include <kubist/state/exports.hpp>
#include <kubist/util/fs.hpp>

using namespace kubist;
namespace fs = std::filesystem;

namespace {

std::string error_of(std::string_view text, const data::Json& schema = nullptr) {
  const auto exports = state::parse_exports(text, "exports", schema);
  REQUIRE_FALSE(exports.has_value());
  CHECK(exports.error().kind == util::ErrorKind::invalid);
  return exports.error().to_string();
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("exports: JSON and YAML of equal value give equal bytes") {
  const auto json = state::parse_exports(R"({"b": [1, 2], "a": {"x": "why"}})", "exports");
  const auto yaml = state::parse_exports("a:\n  x: why\nb: [1, 2]\n", "exports");
  REQUIRE(json);
  REQUIRE(yaml);
  CHECK(json->bytes == R"({"a":{"x":"why"},"b":[1,2]})");
  CHECK(json->bytes == yaml->bytes);
  CHECK(json->sha256 == yaml->sha256);
}

TEST_CASE("exports: the normal form of a large number can be read") {
  const auto first = state::parse_exports("a: 1e19", "exports");
  REQUIRE(first);
  CHECK(state::parse_exports(first->bytes, "exports").value().bytes == first->bytes);
}

TEST_CASE("exports: nothing written means no exports") {
  CHECK(state::parse_exports("", "exports").value().bytes == "{}");
  CHECK(state::parse_exports("# none\n", "exports").value().bytes == "{}");
  const util::TempDir dir;
  CHECK(state::read_exports(dir.path(), "exports").value().bytes == "{}");
}

TEST_CASE("exports: errors have line and column") {
  CHECK(has(error_of("{\"a\": 1,\n \"b\": }"), "exports:2:7"));
  CHECK(has(error_of("a: 1\nb: [1,\n"), "exports:"));
  CHECK(has(error_of("a: 1\na: 2\n"), "exports:2:1"));
  CHECK(has(error_of("- 1\n- 2\n"), "exports:1:1: the exports must be a map, this is a list"));
  CHECK(has(error_of("just text"), "must be a map, this is text"));
  CHECK(has(error_of("a: 1\n---\nb: 2\n"), "exports:3:1"));
  CHECK(has(error_of(std::string(state::k_max_exports + 1, ' ')), "more than 921600"));
}

TEST_CASE("exports: errors name no value") {
  const std::string message = error_of("pin: 123456789012345678901234567890\n");
  CHECK(has(message, "exports:1:6"));
  CHECK_FALSE(has(message, "1234567890"));
  const data::Json schema = data::Json::parse(
      R"({"type":"object","properties":{"mode":{"type":"string","enum":["a","b"]}}})");
  const std::string violation = error_of("mode: hunter22\n", schema);
  CHECK(has(violation, "mode"));
  CHECK_FALSE(has(violation, "hunter22"));
  const data::Json port =
      data::Json::parse(R"({"type":"object","properties":{"port":{"type":"integer"}}})");
  CHECK_FALSE(has(error_of("port: abc\n", port), "abc"));
}

TEST_CASE("exports: what is no document of a workload is refused, soon and in words") {
  CHECK(has(error_of(std::string(std::size_t{2} << 20U, 'x')), "more than 921600"));
  const std::string binary(
      "\x7f"
      "ELF\x02\x01\x01\x00\x00\xff\xfe",
      11);
  CHECK(has(error_of(binary), "exports:"));
  CHECK(has(error_of(std::string("a: \0", 4)), "exports:"));
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + alias;
    for (int n = 0; n < 9; ++n) {
      bomb += ", " + alias;
    }
    bomb += "]\n";
  }
  CHECK(has(error_of(bomb), "exports:"));
  CHECK(has(error_of(std::string(100'000, '[')), "exports:"));

  const util::TempDir dir;
  std::ofstream(dir.path() / "exports") << std::string(std::size_t{2} << 20U, 'x');
  const auto large = state::read_exports(dir.path(), "exports");
  REQUIRE_FALSE(large.has_value());
  CHECK(has(large.error().message, "921600"));
}

TEST_CASE("exports: the schema is checked with positions") {
  const data::Json schema = data::Json::parse(
      R"({"type":"object","required":["port"],"properties":{"port":{"type":"integer"}}})");
  CHECK(state::parse_exports("port: 1\nmore: x\n", "exports", schema).has_value());
  CHECK(has(error_of("a: 1\nport: text\n", schema), "exports:2:"));
  CHECK(has(error_of("a: 1\n", schema), "port"));
}

TEST_CASE("exports: only a plain file is read, and no link on the way to it") {
  const util::TempDir dir;
  const util::TempDir outside;
  std::ofstream(outside.path() / "exports") << "stolen: true";
  SUBCASE("the file is a link") {
    fs::create_symlink(outside.path() / "exports", dir.path() / "exports");
    CHECK_FALSE(state::read_exports(dir.path(), "exports").has_value());
  }
  SUBCASE("the folder is a link") {
    fs::create_directory_symlink(outside.path(), dir.path() / "out");
    CHECK_FALSE(state::read_exports(dir.path(), "out/exports").has_value());
  }
  SUBCASE("it is a pipe") {
    REQUIRE(::mkfifo((dir.path() / "exports").c_str(), 0600) == 0);
    CHECK_FALSE(state::read_exports(dir.path(), "exports").has_value());
  }
  SUBCASE("it is a folder") {
    fs::create_directory(dir.path() / "exports");
    CHECK_FALSE(state::read_exports(dir.path(), "exports").has_value());
  }
}
