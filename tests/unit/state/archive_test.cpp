#include <filesystem>
#include <fstream>

#include <archive.h>
#include <archive_entry.h>
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kubist/state/archive.hpp>
#include <kubist/util/fs.hpp>

using namespace kubist;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t k_limit = 1 << 20;

void put(const fs::path& path, const std::string& text, unsigned mode = 0644) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
  ::chmod(path.c_str(), mode);
}

unsigned mode_of(const fs::path& path) {
  return static_cast<unsigned>(fs::symlink_status(path).permissions());
}

/// A gzipped tar with one entry, or many of the same, as nobody's pack() would make it.
std::string evil(const std::function<void(archive_entry*)>& fill, const std::string& data = "",
                 int times = 1) {
  std::string bytes(1 << 20, '\0');
  std::size_t used = 0;
  archive* out = archive_write_new();
  archive_write_set_format_pax_restricted(out);
  archive_write_add_filter_gzip(out);
  archive_write_open_memory(out, bytes.data(), bytes.size(), &used);
  archive_entry* entry = archive_entry_new();
  archive_entry_set_mode(entry, AE_IFREG | 0644);
  archive_entry_set_size(entry, static_cast<long>(data.size()));
  fill(entry);
  for (int i = 0; i < times; ++i) {
    archive_write_header(out, entry);
    archive_write_data(out, data.data(), data.size());
  }
  archive_entry_free(entry);
  archive_write_close(out);
  archive_write_free(out);
  bytes.resize(used);
  return bytes;
}

std::string refusal(const std::string& bytes) {
  const util::TempDir to;
  const auto result = state::unpack(bytes, to.path());
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().kind == util::ErrorKind::invalid);
  return result.error().message;
}

}  // namespace

TEST_CASE("archive: modes, links and empty folders come back") {
  const util::TempDir from;
  const util::TempDir to;
  put(from.path() / "run.sh", "#!/bin/sh\n", 0755);
  put(from.path() / "deep/er/secret", "x", 0600);
  put(from.path() / "zero", std::string(100'000, '\0'));
  fs::create_directory(from.path() / "empty");
  fs::create_symlink("../run.sh", from.path() / "deep/link");
  fs::create_symlink("nowhere", from.path() / "dangling");
  fs::create_hard_link(from.path() / "run.sh", from.path() / "same.sh");
  ::chmod((from.path() / "deep/er").c_str(), 0500);

  const auto packed = state::pack(from.path(), k_limit);
  REQUIRE(packed);
  REQUIRE(state::unpack(*packed, to.path()));
  CHECK(mode_of(to.path() / "run.sh") == 0755);
  CHECK(mode_of(to.path() / "deep/er/secret") == 0600);
  CHECK(mode_of(to.path() / "deep/er") == 0500);
  CHECK(util::read_file(to.path() / "zero") == std::string(100'000, '\0'));
  CHECK(fs::is_empty(to.path() / "empty"));
  CHECK(fs::read_symlink(to.path() / "deep/link") == "../run.sh");
  CHECK(fs::read_symlink(to.path() / "dangling") == "nowhere");
  CHECK(fs::hard_link_count(to.path() / "same.sh") == 2);
  ::chmod((from.path() / "deep/er").c_str(), 0700);
  ::chmod((to.path() / "deep/er").c_str(), 0700);
}

TEST_CASE("archive: the same content gives the same bytes, whoever wrote it and when") {
  const util::TempDir one;
  const util::TempDir two;
  put(one.path() / "a", "1");
  put(one.path() / "b/c", "2");
  put(two.path() / "b/c", "2");
  put(two.path() / "a", "1");
  fs::last_write_time(two.path() / "a", fs::file_time_type::clock::now() - std::chrono::hours(9));
  if (::geteuid() == 0) {
    REQUIRE(::chown((two.path() / "a").c_str(), 1234, 1234) == 0);
  }
  CHECK(state::pack(one.path(), k_limit).value() == state::pack(two.path(), k_limit).value());
}

TEST_CASE("archive: an empty folder is no state") {
  const util::TempDir from;
  CHECK(state::pack(from.path(), k_limit).value().empty());
  CHECK(state::unpack("", from.path()).has_value());
}

TEST_CASE("archive: packing refuses what could not be restored") {
  const util::TempDir from;
  SUBCASE("an absolute link") { fs::create_symlink("/etc/passwd", from.path() / "x"); }
  SUBCASE("a link that climbs out") { fs::create_symlink("../../x", from.path() / "x"); }
  SUBCASE("a link that climbs behind a name") {
    fs::create_symlink("a/../../x", from.path() / "x");
  }
  SUBCASE("a pipe") { REQUIRE(::mkfifo((from.path() / "x").c_str(), 0600) == 0); }
  const auto packed = state::pack(from.path(), k_limit);
  REQUIRE_FALSE(packed.has_value());
  CHECK(packed.error().kind == util::ErrorKind::invalid);
  CHECK(packed.error().message.find("x") != std::string::npos);
}

TEST_CASE("archive: packing stops at the limit and does not follow a replaced folder") {
  const util::TempDir from;
  std::string noise(200'000, ' ');
  unsigned seed = 1;
  for (char& c : noise) {
    seed = seed * 1103515245U + 12345U;
    c = static_cast<char>(seed >> 16U);
  }
  put(from.path() / "noise", noise);
  const auto packed = state::pack(from.path(), 100'000);
  REQUIRE_FALSE(packed.has_value());
  CHECK(packed.error().message.find("larger than 100000 bytes") != std::string::npos);

  const util::TempDir other;
  fs::create_directory_symlink(from.path(), other.path() / "state");
  CHECK_FALSE(state::pack(other.path() / "state", k_limit).has_value());
}

TEST_CASE("archive: unpacking refuses escapes") {
  CHECK(refusal(evil([](archive_entry* e) {
          archive_entry_set_pathname(e, "/tmp/x");
        })).find("absolute") != std::string::npos);
  CHECK(refusal(evil([](archive_entry* e) {
          archive_entry_set_pathname(e, "a/../../x");
        })).find("leaves the folder") != std::string::npos);
  CHECK(refusal(evil([](archive_entry* e) {
          archive_entry_set_pathname(e, "x");
          archive_entry_set_filetype(e, AE_IFLNK);
          archive_entry_set_symlink(e, "../outside");
        })).find("link that leaves") != std::string::npos);
  CHECK(refusal(evil([](archive_entry* e) {
          archive_entry_set_pathname(e, "x");
          archive_entry_set_hardlink(e, "../../etc/passwd");
        })).find("leaves the folder") != std::string::npos);
  CHECK(refusal(evil([](archive_entry* e) {
          archive_entry_set_pathname(e, "x");
          archive_entry_set_filetype(e, AE_IFCHR);
        })).find("device") != std::string::npos);
  CHECK(refusal("this is no archive").find("not a gzipped tar") != std::string::npos);
}

TEST_CASE("archive: no hard link to a link, which would lead somewhere else from there") {
  const util::TempDir to;
  fs::create_directories(to.path() / "a/b");
  fs::create_symlink("../../x", to.path() / "a/b/l");
  const auto result = state::unpack(evil([](archive_entry* e) {
                                      archive_entry_set_pathname(e, "l");
                                      archive_entry_set_hardlink(e, "a/b/l");
                                    }),
                                    to.path());
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == util::ErrorKind::invalid);
  CHECK(result.error().message.find("hard link to what is no file") != std::string::npos);
  CHECK_FALSE(fs::is_symlink(to.path() / "l"));
}

TEST_CASE("archive: nothing comes back setuid or setgid") {
  const util::TempDir from;
  const util::TempDir to;
  put(from.path() / "tool", "x", 06755);
  fs::create_directory(from.path() / "shared");
  REQUIRE(::chmod((from.path() / "shared").c_str(), 03777) == 0);
  const auto packed = state::pack(from.path(), k_limit);
  REQUIRE(packed);
  REQUIRE(state::unpack(*packed, to.path()));
  CHECK(mode_of(to.path() / "tool") == 0755);
  CHECK(mode_of(to.path() / "shared") == 01777);
}

TEST_CASE("archive: nothing is written through a link that is in the way") {
  const util::TempDir to;
  const util::TempDir outside;
  fs::create_directory_symlink(outside.path(), to.path() / "dir");
  const auto bytes =
      evil([](archive_entry* e) { archive_entry_set_pathname(e, "dir/file"); }, "text");
  CHECK_FALSE(state::unpack(bytes, to.path()).has_value());
  CHECK(fs::is_empty(outside.path()));
}

TEST_CASE("archive: too many entries are refused, however empty, and too much of paths") {
  const auto many = [](const std::string& path, int times) {
    return evil([&](archive_entry* e) { archive_entry_set_pathname(e, path.c_str()); }, "", times);
  };
  CHECK(refusal(many("./", 100'001)).find("more than 100000 files") != std::string::npos);
  std::string longest;
  for (int i = 0; i < 2000; ++i) {
    longest += "./";
  }
  CHECK(refusal(many(longest, 5000)).find("more than 16777216 bytes") != std::string::npos);
}

TEST_CASE("archive: a source that throws is an error, and goes through no C") {
  const util::TempDir to;
  int calls = 0;
  const std::string bytes = evil([](archive_entry* e) { archive_entry_set_pathname(e, "x"); });
  const state::Source source = [&]() -> util::Result<std::string> {
    if (++calls > 1) {
      throw std::bad_alloc();
    }
    return bytes.substr(0, bytes.size() / 2);
  };
  const auto result = state::unpack(source, to.path());
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == util::ErrorKind::internal);
}

TEST_CASE("archive: a bomb is stopped") {
  const util::TempDir from;
  const util::TempDir to;
  put(from.path() / "zeros", std::string(1 << 20, '\0'));
  const auto packed = state::pack(from.path(), k_limit);
  REQUIRE(packed);
  CHECK(packed->size() < 10'000);
  const auto result = state::unpack(*packed, to.path(), 1 << 19);
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().message.find("too large") != std::string::npos);
  const auto source = [&, given = false]() mutable -> util::Result<std::string> {
    return std::exchange(given, true) ? "" : *packed;
  };
  CHECK(state::list(source, 1 << 20));
  const auto listed = state::list(source, (1 << 20) - 1);
  REQUIRE_FALSE(listed);
  CHECK(listed.error().message == R"(refused entry "zeros": the state is too large when unpacked)");
}
