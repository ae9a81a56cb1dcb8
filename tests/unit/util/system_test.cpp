#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kubist/util/cancel.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/log.hpp>
#include <kubist/util/process.hpp>

using namespace kubist::util;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

TEST_CASE("fs: write_file replaces in one step with the given mode") {
  const TempDir dir;
  const fs::path path = dir.path() / "a" / "b";
  REQUIRE(write_file(path, "one"));
  REQUIRE(write_file(path, "two", 0644));
  CHECK(read_file(path) == std::string("two"));
  CHECK((fs::status(path).permissions() & fs::perms::all) == fs::perms(0644));
  CHECK((fs::status(dir.path() / "a").permissions() & fs::perms::all) == fs::perms(0700));
  CHECK(std::distance(fs::directory_iterator(dir.path() / "a"), fs::directory_iterator()) == 1);
}

TEST_CASE("fs: read_file names what failed") {
  const TempDir dir;
  CHECK(read_file(dir.path() / "none").error().kind == ErrorKind::not_found);
  CHECK(read_file(dir.path()).error().kind == ErrorKind::invalid);
  REQUIRE(write_file(dir.path() / "big", std::string(100, 'x')));
  CHECK(read_file(dir.path() / "big", 10).error().kind == ErrorKind::invalid);
}

TEST_CASE("fs: without a home folder there is no cache, least of all in the working folder") {
  const std::string before = environment("KUBECACHEDIR");
  ::unsetenv("KUBECACHEDIR");
  CHECK(cache_folder("").empty());
  CHECK(cache_folder("/home/me") == "/home/me/.kube/cache/kubist");
  ::setenv("KUBECACHEDIR", "/cache", 1);
  CHECK(cache_folder("") == "/cache/kubist");
  if (before.empty()) {
    ::unsetenv("KUBECACHEDIR");
  } else {
    ::setenv("KUBECACHEDIR", before.c_str(), 1);
  }
}

TEST_CASE("process: captures output, input and exit code") {
  const auto result = run_command({.args = {"sh", "-c", "cat; echo err >&2; echo $X; exit 3"},
                                   .extra_environment = {{"X", "y"}},
                                   .input = "in "});
  REQUIRE(result);
  CHECK(result->exit_code == 3);
  CHECK(result->out == "in y\n");
  CHECK(result->err == "err\n");
}

TEST_CASE("process: large input and output do not deadlock") {
  const std::string big(1 << 20, 'x');
  const auto result = run_command({.args = {"cat"}, .extra_environment = {}, .input = big});
  REQUIRE(result);
  CHECK(result->out == big);
}

TEST_CASE("process: missing programs, timeouts and stops are errors of their own kind") {
  CHECK(run_command({.args = {"/no/such/program"}}).error().kind == ErrorKind::not_found);
  const Command slow{.args = {"sleep", "60"}, .timeout = 50ms};
  CHECK(run_command(slow).error().kind == ErrorKind::timeout);
  std::stop_source source;
  source.request_stop();
  CHECK(run_command({.args = {"sleep", "60"}}, source.get_token()).error().kind ==
        ErrorKind::cancelled);
}

TEST_CASE("process: a background grandchild that keeps the pipes open does not hold the result") {
  const auto result = run_command({.args = {"sh", "-c", "sleep 60 & echo $!"}});
  REQUIRE(result);
  CHECK_FALSE(result->out.empty());
  run_command({.args = {"kill", result->out.substr(0, result->out.size() - 1)}}).value();
}

TEST_CASE("process: a program gets no descriptor of ours") {
  const Fd copy(::dup2(STDERR_FILENO, 77));  // without O_CLOEXEC, as sockets of libcurl are
  const auto result = run_command({.args = {"ls", "/proc/self/fd"}});
  REQUIRE(result);
  CHECK(result->out == "0\n1\n2\n3\n");  // 3: the folder that it lists
}

TEST_CASE("process: what prints without an end is ended") {
  const auto result = run_command({.args = {"yes"}, .timeout = 60s, .max_output = 1000});
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == ErrorKind::invalid);
  CHECK(result.error().message == "yes printed too much and was ended");
}

TEST_CASE("process: a stop ends what it started, too, and what takes no notice of SIGTERM") {
  const TempDir folder;
  const std::string fifo = (folder.path() / "fifo").string();
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  const Fd read_end(::open(fifo.c_str(), O_RDONLY | O_NONBLOCK));
  const auto next = [&] {  // 1: a byte, 0: the last writer is gone, -1: neither for 20 s
    pollfd waited{read_end.get(), POLLIN, 0};
    char byte = 0;
    return ::poll(&waited, 1, 20000) == 1 ? ::read(read_end.get(), &byte, 1) : -1;
  };
  std::stop_source source;
  std::jthread stopper([&] {
    CHECK(next() == 1);
    source.request_stop();
  });
  const std::string script = "trap '' TERM; (echo; exec sleep 60) > " + fifo + " & wait; sleep 60";
  const auto result = run_command({.args = {"sh", "-c", script}}, source.get_token());
  stopper.join();
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == ErrorKind::cancelled);
  CHECK(next() == 0);
}

TEST_CASE("cancel: the first signal stops, once somebody has asked") {
  const auto blocked = [] {
    sigset_t now{};
    ::pthread_sigmask(SIG_BLOCK, nullptr, &now);
    return sigismember(&now, SIGTERM) == 1;
  };
  {
    Cancellation cancellation;
    CHECK_FALSE(blocked());  // nobody waits for it: it ends the process
    const std::stop_token stop = cancellation.token();
    CHECK(blocked());
    ::kill(::getpid(), SIGTERM);
    CHECK_FALSE(sleep_for(60s, stop));
    CHECK(cancellation.signal() == SIGTERM);
  }
  CHECK_FALSE(blocked());
}

TEST_CASE("log: shows what the verbosity allows and each warning once") {
  std::string text;
  const Log log(6, [&](std::string_view line) { text += line; });
  log.trace(6, "GET");
  log.trace(7, "header");
  log.warn("old");
  log.warn("old");
  CHECK(text == "GET\nWarning: old\n");
  log.line("\x1b]0;title\a");
  CHECK(text.ends_with("\n\\x1b]0;title\\x07\n"));
}

namespace {

using SecondsOf = std::int64_t (*)();

/// What that clock shows in a child whose machine booted `earlier`; nothing where no time namespace
/// may be made, which takes CONFIG_TIME_NS and CAP_SYS_ADMIN, or a user namespace.
std::optional<std::int64_t> seconds_of_child(std::chrono::seconds earlier, SecondsOf clock) {
  std::array<int, 2> pipe{};
  REQUIRE(::pipe2(pipe.data(), O_CLOEXEC) == 0);
  const Fd read_end(pipe[0]);
  Fd write_end(pipe[1]);
  const pid_t child = ::fork();
  if (child == 0) {
    // A time namespace is that of the children of who makes it.
    const bool made =
        ::unshare(CLONE_NEWTIME) == 0 || ::unshare(CLONE_NEWUSER | CLONE_NEWTIME) == 0;
    const std::string offset = "boottime " + std::to_string(earlier.count()) + " 0\n";
    const int file = made ? ::open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC) : -1;
    const bool set = file >= 0 && ::write(file, offset.data(), offset.size()) > 0;
    if (const pid_t inner = set ? ::fork() : -1; inner == 0) {
      const std::int64_t now = clock();
      static_cast<void>(::write(write_end.get(), &now, sizeof now));
    } else if (inner > 0) {
      ::waitpid(inner, nullptr, 0);
    }
    ::_exit(0);
  }
  write_end.reset();
  std::int64_t now = 0;
  const bool told = ::read(read_end.get(), &now, sizeof now) == sizeof now;
  ::waitpid(child, nullptr, 0);
  return told ? std::optional(now) : std::nullopt;
}

}  // namespace

TEST_CASE("clock: boot time counts what the machine slept, the steady one does not") {
  constexpr std::chrono::seconds k_slept{100000};
  const SecondsOf boot = [] {
    return std::int64_t{
        std::chrono::floor<std::chrono::seconds>(system_clock().boot().time_since_epoch()).count()};
  };
  const SecondsOf steady = [] {
    return std::int64_t{
        std::chrono::floor<std::chrono::seconds>(system_clock().monotonic().time_since_epoch())
            .count()};
  };
  const auto later = seconds_of_child(k_slept, boot);
  if (!later) {
    MESSAGE("skipped: no time namespace may be made here");
    return;
  }
  CHECK(std::abs(*later - boot() - k_slept.count()) < 60);
  const auto same = seconds_of_child(k_slept, steady);
  REQUIRE(same);
  CHECK(std::abs(*same - steady()) < 60);
}
