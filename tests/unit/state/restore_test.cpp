#include <filesystem>
#include <fstream>

#include <kubist/state/agent.hpp>
#include <kubist/state/archive.hpp>
#include <kubist/state/head.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/fs.hpp>

using namespace kubist;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

struct Place {
  util::TempDir dir;
  state::RestoreOptions options;
  Place() {
    for (const char* name : {"given", "kept", "in", "out"}) {
      fs::create_directory(dir.path() / name);
    }
    options.given = dir.path() / "given";
    options.kept = dir.path() / "kept";
    options.in = dir.path() / "in";
    options.out = dir.path() / "out";
    options.patience = 0ms;
  }
  void keep(const state::Head& head, const std::string& packed) {
    std::ofstream(options.kept / "head") << state::to_text(head);
    std::ofstream(options.kept / "state") << packed;
  }
};

std::string packed_state() {
  const util::TempDir dir;
  std::ofstream(dir.path() / "runs") << "7";
  return state::pack(dir.path(), 1 << 20).value();
}

}  // namespace

TEST_CASE("head: text and back, and only changes make a new one") {
  const state::Head empty;
  CHECK(state::parse_head("").value() == empty);
  const auto first = state::next_head(empty, "bytes");
  REQUIRE(first);
  CHECK(first->generation == 1);
  CHECK(first->size == 5);
  CHECK(state::parse_head(state::to_text(*first)).value() == *first);
  CHECK_FALSE(state::next_head(*first, "bytes").has_value());
  const auto cleared = state::next_head(*first, "");
  REQUIRE(cleared);
  CHECK(cleared->generation == 2);
  CHECK(cleared->sha256.empty());
  CHECK_FALSE(state::parse_head("{\"generation\":1}").has_value());
  CHECK_FALSE(state::parse_head("rubbish").has_value());
}

TEST_CASE("restore: imports, target, script, init process and state are laid out") {
  Place place;
  std::ofstream(place.options.given / "imports.json") << "{\"a\":1}";
  std::ofstream(place.options.given / "target.json") << "null";
  std::ofstream(place.options.given / "script") << "echo hi";
  std::ofstream(place.dir.path() / "tini") << "binary";
  place.options.tini = place.dir.path() / "tini";
  const std::string packed = packed_state();
  place.keep(*state::next_head({}, packed), packed);
  place.options.state_generation = 1;
  place.options.given_sha256 =
      state::given_hash({{"imports.json", util::base64_encode("{\"a\":1}")},
                         {"target.json", util::base64_encode("null")},
                         {"script", util::base64_encode("echo hi")}});

  // Twice: an init container may be restarted.
  REQUIRE(state::restore(place.options));
  REQUIRE(state::restore(place.options));
  CHECK(util::read_file(place.options.in / "imports.json") == std::string("{\"a\":1}"));
  CHECK(util::read_file(place.options.out / "state/runs") == std::string("7"));
  CHECK(fs::status(place.options.in / "script").permissions() == fs::perms(0555));
  CHECK(fs::status(place.options.in / "tini").permissions() == fs::perms(0555));
  CHECK(fs::status(place.options.out / "state").permissions() == fs::perms(0777));
  CHECK(fs::is_directory(place.options.in / "content"));
}

TEST_CASE("restore: corrupt state stops the run") {
  Place place;
  std::string packed = packed_state();
  const state::Head head = *state::next_head({}, packed);
  SUBCASE("a changed byte") { packed[20] = static_cast<char>(packed[20] ^ 1); }
  SUBCASE("a lost byte") { packed.pop_back(); }
  place.keep(head, packed);
  const auto result = state::restore(place.options);
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().message.find("corrupt") != std::string::npos);
}

TEST_CASE("restore: mounts that stay older than the job are an error, not the input") {
  Place place;
  SUBCASE("state") { place.options.state_generation = 3; }
  SUBCASE("inputs") { place.options.given_sha256 = "something else"; }
  const auto result = state::restore(place.options);
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().kind == util::ErrorKind::timeout);
}
