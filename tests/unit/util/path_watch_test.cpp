#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <kubist/util/fs.hpp>
#include <kubist/util/path_watch.hpp>

using namespace kubist::util;
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds k_quiet{20};

void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

/// A watch, and whether it tells of something.
class Watched {
 public:
  Watched(std::vector<fs::path> paths, bool recursive = false)
      : m_watch(*PathWatch::start(paths, recursive)) {}
  explicit Watched(PathWatch watch) : m_watch(std::move(watch)) {}

  /// Waits for what has been done already.
  bool told() {
    std::stop_source stop;
    // What has changed is in the queue already; the limit is only for what never tells.
    std::jthread limit([&](const std::stop_token& done) {
      for (int i = 0; i < 40 && !done.stop_requested(); ++i) {
        std::this_thread::sleep_for(k_quiet);
      }
      stop.request_stop();
    });
    const auto result = m_watch.wait(k_quiet, stop.get_token());
    REQUIRE(result);
    return *result;
  }

 private:
  PathWatch m_watch;
};

}  // namespace

TEST_CASE("path watch: files that are written, renamed, moved in or deleted") {
  const TempDir folder("watch");
  write(folder.path() / "a.yaml", "1");
  Watched watched({folder.path()});
  write(folder.path() / "a.yaml", "2");
  CHECK(watched.told());
  fs::rename(folder.path() / "a.yaml", folder.path() / "b.yaml");
  CHECK(watched.told());
  fs::remove(folder.path() / "b.yaml");
  CHECK(watched.told());
  write(folder.path() / "c.yaml", "1");
  write(folder.path() / "d.yaml", "1");
  CHECK(watched.told());
  CHECK_FALSE(watched.told());  // once for both
}

TEST_CASE("path watch: of one file, replaced by a new one; not its neighbours") {
  const TempDir folder("watch");
  const fs::path file = folder.path() / "a.yaml";
  write(file, "1");
  Watched watched({file});
  write(folder.path() / "other", "1");
  CHECK_FALSE(watched.told());
  write(folder.path() / "new", "2");
  fs::rename(folder.path() / "new", file);
  CHECK(watched.told());
}

TEST_CASE("path watch: a file that is named later") {
  const TempDir folder("watch");
  fs::create_directory(folder.path() / "below");
  write(folder.path() / "below/a.jsonnet", "1");
  auto watch = PathWatch::start({folder.path()}, false);
  REQUIRE(watch);
  REQUIRE(watch->also({folder.path() / "below/a.jsonnet"}));
  Watched watched(std::move(*watch));
  write(folder.path() / "below/b.jsonnet", "2");
  CHECK_FALSE(watched.told());
  write(folder.path() / "below/a.jsonnet", "2");
  CHECK(watched.told());
}

TEST_CASE("path watch: folders below, also new ones, where it is recursive") {
  const TempDir folder("watch");
  fs::create_directories(folder.path() / "one");
  Watched flat({folder.path()});
  Watched deep({folder.path()}, true);
  write(folder.path() / "one/a.yaml", "1");
  CHECK_FALSE(flat.told());
  CHECK(deep.told());
  fs::create_directories(folder.path() / "two");
  CHECK(deep.told());
  write(folder.path() / "two/a.yaml", "1");
  CHECK(deep.told());
}

TEST_CASE("path watch: a link that is turned to another folder, as a mounted ConfigMap's") {
  const TempDir folder("watch");
  for (const char* name : {"..1", "..2"}) {
    fs::create_directories(folder.path() / name);
    write(folder.path() / name / "a.yaml", name);
  }
  fs::create_symlink("..1", folder.path() / "..data");
  fs::create_symlink("..data/a.yaml", folder.path() / "a.yaml");
  Watched of_file({folder.path() / "a.yaml"});
  Watched of_folder({folder.path()});
  fs::create_symlink("..2", folder.path() / "..new");
  fs::rename(folder.path() / "..new", folder.path() / "..data");
  CHECK(of_file.told());
  CHECK(of_folder.told());
}

TEST_CASE("path watch: a folder that goes and comes again, and one that is not there yet") {
  const TempDir folder("watch");
  const fs::path env = folder.path() / "env";
  Watched watched({env.string() + "/"});
  CHECK_FALSE(watched.told());
  fs::create_directories(env);
  CHECK(watched.told());
  write(env / "a.yaml", "1");
  CHECK(watched.told());
  fs::rename(env, folder.path() / "old");
  CHECK(watched.told());
  write(folder.path() / "old/a.yaml", "2");
  CHECK_FALSE(watched.told());
  fs::rename(folder.path() / "old", env);
  CHECK(watched.told());
  write(env / "a.yaml", "3");
  CHECK(watched.told());
}
