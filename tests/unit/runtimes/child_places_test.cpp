#include "../../../lib/runtimes/src/child_places.hpp"

#include <optional>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kubist/util/fs.hpp>

#include "shell.hpp"

using namespace kubist::runtimes;
using namespace std::chrono_literals;
using kubist::util::TempDir;
using kubist::util::write_file;

namespace {

constexpr std::uint64_t k_gib = std::uint64_t{1} << 30U;

/// A machine's folders: what its files say of a process' memory.
class Machine {
 public:
  void write(const std::string& path, const std::string& text) {
    REQUIRE(write_file(m_root.path() / path, text));
  }
  std::optional<std::uint64_t> limit() const { return memory_limit(m_root.path()); }

 private:
  TempDir m_root{"machine"};
};

}  // namespace

TEST_CASE("child places: by the processors, and no more than the memory is for") {
  const auto are = [](std::size_t processors, std::optional<std::uint64_t> memory,
                      std::size_t share, std::size_t total) {
    const auto places = child_places(processors, memory);
    return places.share == share && places.total == total;
  };
  CHECK(are(2, std::nullopt, 4, 31));
  CHECK(are(16, std::nullopt, 16, 127));
  for (const std::size_t processors : {1, 4, 16, 256}) {
    CAPTURE(processors);
    CHECK(are(processors, 4 * k_gib, 2, 3));  // the chart's limit
    CHECK(are(processors, 2 * k_gib, 1, 2));
    CHECK(are(processors, 1, 1, 2));  // a project's, and another's
  }
  CHECK(are(2, 16 * k_gib, 4, 15));
  CHECK(are(16, 16 * k_gib, 8, 15));
  CHECK(are(2, ~std::uint64_t{0}, 4, 31));
}

TEST_CASE("child places: the limit of memory is the lowest of the cgroup and those above it") {
  Machine machine;
  CHECK(machine.limit() == std::nullopt);
  SUBCASE("version 2") {
    machine.write("proc/self/cgroup", "0::/a/b\n");
    CHECK(machine.limit() == std::nullopt);
    machine.write("sys/fs/cgroup/a/b/memory.max", "max\n");
    CHECK(machine.limit() == std::nullopt);
    machine.write("sys/fs/cgroup/a/memory.max", "4294967296\n");
    CHECK(machine.limit() == 4 * k_gib);
    machine.write("sys/fs/cgroup/a/b/memory.max", "1073741824\n");
    CHECK(machine.limit() == k_gib);
    machine.write("sys/fs/cgroup/a/b/memory.max", "8589934592\n");
    CHECK(machine.limit() == 4 * k_gib);
  }
  SUBCASE("version 2, in a container") {
    machine.write("proc/self/cgroup", "0::/\n");
    machine.write("sys/fs/cgroup/memory.max", "4294967296\n");
    CHECK(machine.limit() == 4 * k_gib);
  }
  SUBCASE("version 1, in a container: the cgroup has another name there") {
    machine.write("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/kubepods/x\n0::/kubepods/x\n");
    machine.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "4294967296\n");
    CHECK(machine.limit() == 4 * k_gib);
    machine.write("sys/fs/cgroup/memory/kubepods/x/memory.limit_in_bytes", "1073741824\n");
    CHECK(machine.limit() == k_gib);
  }
}

TEST_CASE("child: a project has its share of the places, and others have theirs") {
  const kubist::util::TempDir folder("children");
  const std::string pipe = folder.path() / "pipe";
  const std::string log = folder.path() / "started";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const auto started = [&] {
    return kubist::util::read_file(log).value_or("").size();  // one byte each
  };
  const auto of_project = [](const std::string& script, const std::string& project) {
    ChildCommand command = shell(script);
    command.project = project;
    command.limits.wall = 10min;
    return command;
  };
  const std::size_t share = child_places(std::thread::hardware_concurrency(), memory_limit()).share;
  std::vector<std::jthread> children;
  for (std::size_t i = 0; i < share + 2; ++i) {
    children.emplace_back([&] {
      const auto ended = run_child(of_project("printf x >> " + log + "; read line < " + pipe, "a"));
      CHECK(ended);
    });
  }
  while (started() < share) {
    std::this_thread::yield();
  }
  CHECK(run(of_project("echo there", "b")).out == "there\n");
  CHECK(started() == share);
  {
    std::stop_source stop;
    stop.request_stop();
    const auto waiting = run_child(of_project("true", "a"), stop.get_token());
    REQUIRE(waiting);
    CHECK(waiting->cancelled);
  }
  // Open on both sides: whoever comes to read has lines enough.
  const int out = ::open(pipe.c_str(), O_RDWR);
  REQUIRE(out >= 0);
  const std::string lines(share + 2, '\n');
  CHECK(::write(out, lines.data(), lines.size()) == static_cast<ssize_t>(lines.size()));
  children.clear();
  ::close(out);
  CHECK(started() == share + 2);
}
