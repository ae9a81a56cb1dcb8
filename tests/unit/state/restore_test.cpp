#include <filesystem>
#include <fstream>
#include <limits>

#include <doctest/doctest.h>

#include <kubist/state/agent.hpp>
#include <kubist/state/archive.hpp>
#include <kubist/state/head.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/sha256.hpp>

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

state::Head head_for(const state::Head& previous, const std::string& packed) {
  return state::next_head(previous, packed.size(), util::sha256_hex(packed)).value();
}

std::string packed_state() {
  const util::TempDir dir;
  std::ofstream(dir.path() / "runs") << "7";
  return state::pack(dir.path(), 1 << 20).value();
}

}  // namespace

TEST_CASE("head: text and back, and only changes make a new one") {
  const state::Head empty;
  CHECK(state::parse_head("").value() == empty);
  const auto first = state::next_head(empty, 5, "hash");
  REQUIRE(first);
  CHECK(first->generation == 1);
  CHECK(first->size == 5);
  CHECK(state::parse_head(state::to_text(*first)).value() == *first);
  CHECK_FALSE(state::next_head(*first, 5, "hash").has_value());
  CHECK(state::next_head(*first, 5, "other").has_value());
  const auto cleared = state::next_head(*first, 0, "hash of nothing");
  REQUIRE(cleared);
  CHECK(cleared->generation == 2);
  CHECK(cleared->sha256.empty());
  CHECK_FALSE(state::next_head(*cleared, 0, "").has_value());
  CHECK_FALSE(state::parse_head("{\"generation\":1}").has_value());
  CHECK_FALSE(state::parse_head("rubbish").has_value());
  state::Head last;
  last.generation = std::numeric_limits<std::int64_t>::max();  // none comes after it
  CHECK_FALSE(state::parse_head(state::to_text(last)).has_value());
}

TEST_CASE("head: large state takes the sets by turns") {
  const auto first = state::next_head({}, state::k_max_head_state + 1, "1").value();
  CHECK(first.set == "a");
  CHECK(first.chunks == 2);
  CHECK(state::parse_head(state::to_text(first)).value() == first);
  const auto second = state::next_head(first, 5 * state::k_chunk, "2").value();
  CHECK(second.set == "b");
  CHECK(second.chunks == 5);
  CHECK(state::next_head(second, 5 * state::k_chunk + 1, "3")->set == "a");
  CHECK(state::next_head(second, 7, "3")->set.empty());
  CHECK(state::chunk_names("s", state::k_max_head_state).empty());
  CHECK(state::chunk_names("s", 2 * state::k_chunk) ==
        std::vector<std::string>{"s-a0", "s-a1", "s-b0", "s-b1"});
}

TEST_CASE("restore: imports, target, script, init process and state are laid out") {
  Place place;
  std::ofstream(place.options.given / "imports.json") << "{\"a\":1}";
  std::ofstream(place.options.given / "target.json") << "null";
  std::ofstream(place.options.given / "script") << "echo hi";
  std::ofstream(place.dir.path() / "tini") << "binary";
  place.options.tini = place.dir.path() / "tini";
  const std::string packed = packed_state();
  place.keep(head_for({}, packed), packed);
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
  const state::Head head = head_for({}, packed);
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

namespace {

/// A mount of large state: the head, and its chunks in folders.
struct Chunked : Place {
  state::Head head;
  util::TempDir from;
  Chunked() {
    std::ofstream noise(from.path() / "noise");
    unsigned seed = 7;
    for (int i = 0; i < 2'500'000; ++i) {
      seed = seed * 1103515245U + 12345U;
      noise.put(static_cast<char>(seed >> 16U));
    }
    noise.close();
    const std::string packed = state::pack(from.path(), 8 << 20).value();
    head = head_for({}, packed);
    std::ofstream(options.kept / "head") << state::to_text(head);
    for (int n = 0; n < head.chunks; ++n) {
      write(n, packed.substr(static_cast<std::size_t>(n) * state::k_chunk, state::k_chunk),
            head.generation);
    }
    options.state_secret = "hello-state";
    options.state_generation = 1;
  }
  fs::path chunk(int n) const { return options.kept / ("a" + std::to_string(n)); }
  void write(int n, const std::string& bytes, std::int64_t generation) const {
    fs::create_directories(chunk(n));
    std::ofstream(chunk(n) / "state") << bytes;
    std::ofstream(chunk(n) / "part")
        << state::to_text(state::Part{generation, util::sha256_hex(bytes)});
  }
  std::string refusal() const {
    const auto result = state::restore(options);
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().reason == "CorruptState");
    return result.error().message;
  }
};

bool restore_says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("restore: large state comes back from its chunks") {
  const Chunked place;
  REQUIRE(place.head.chunks == 3);
  const auto restored = state::restore(place.options);
  REQUIRE_MESSAGE(restored, restored.error().to_string());
  CHECK(util::read_file(place.options.out / "state/noise") ==
        util::read_file(place.from.path() / "noise").value());
}

TEST_CASE("restore: a missing, old or damaged chunk stops the run and is named") {
  Chunked place;
  SUBCASE("missing") {
    fs::remove_all(place.chunk(1));
    CHECK(restore_says(place.refusal(), "hello-state-a1, chunk 2 of 3"));
    CHECK(restore_says(place.refusal(), "is missing"));
  }
  SUBCASE("of another generation") {
    place.write(2, "older", 0);
    CHECK(restore_says(place.refusal(), "hello-state-a2"));
    CHECK(restore_says(place.refusal(), "is of generation 0"));
  }
  SUBCASE("one bit flipped") {
    std::string bytes = util::read_file(place.chunk(0) / "state").value();
    bytes[4711] = static_cast<char>(bytes[4711] ^ 1);
    std::ofstream(place.chunk(0) / "state") << bytes;
    place.options.patience = 60s;  // not waited for: time does not mend it
    CHECK(restore_says(place.refusal(), "hello-state-a0"));
    CHECK(restore_says(place.refusal(), "sha256"));
  }
  SUBCASE("exchanged as a whole") {
    place.write(1, "somebody's own", 1);
    CHECK(restore_says(place.refusal(), "corrupt"));
  }
  CHECK(fs::is_empty(place.options.out));
}
