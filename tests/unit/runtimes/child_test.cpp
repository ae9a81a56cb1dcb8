#include <fstream>
#include <thread>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kubist/runtimes/child.hpp>
#include <kubist/runtimes/exec.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/sha256.hpp>

#include "../../../lib/runtimes/src/spawn.hpp"
#include "../../../lib/runtimes/src/syscalls.hpp"
#include "shell.hpp"
#include "support/paths.hpp"

using namespace kubist::runtimes;
using namespace std::chrono_literals;

TEST_CASE("child: input, output, stderr and exit code come through") {
  auto command = shell("cat; echo oops >&2; exit 3");
  command.input = "hello";
  auto result = run(command);
  CHECK(result.out == "hello");
  CHECK(result.stderr_tail == "oops\n");
  CHECK(result.exit_code == 3);
  CHECK_FALSE(result.ok());
  CHECK(child_error(result, "tool", command.limits).message ==
        "tool failed with exit code 3: oops");
}

TEST_CASE("child: megabytes flow both ways without a deadlock") {
  auto command = shell("cat");
  command.input.assign(8U << 20U, 'x');
  auto result = run(command);
  CHECK(result.ok());
  CHECK(result.out == command.input);
}

TEST_CASE("child: a program that does not read its input is no error") {
  auto command = shell("exec <&-; echo done");
  command.input.assign(4U << 20U, 'x');
  CHECK(run(command).out == "done\n");
}

TEST_CASE("child: the environment is empty and the folder its own") {
  auto result = run(shell("/usr/bin/env; pwd; ls -a | wc -l"));
  CHECK(result.out.find("HOME=") == std::string::npos);
  CHECK(result.out.find("KUBE") == std::string::npos);
  CHECK(result.out.find("/kubist-run") != std::string::npos);
  CHECK(result.out.find("\n2\n") != std::string::npos);
}

TEST_CASE("child: no descriptor is inherited, no new privileges are to be had") {
  std::ofstream leak("/dev/null");
  auto result = run(shell("ls /proc/self/fd | wc -l; grep NoNewPrivs /proc/self/status"));
  CHECK(result.out == "4\nNoNewPrivs:\t1\n");  // 0, 1, 2 and the folder that ls reads
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {

/// The line that counts the seccomp filters of a process.
int filters_of(const std::string& status) {
  const std::string name = "Seccomp_filters:";
  const std::size_t at = status.find(name);
  REQUIRE(at != std::string::npos);
  return std::stoi(status.substr(at + name.size()));
}

}  // namespace

TEST_CASE("child: what no policy needs is refused, threads and programs go on") {
  auto result = run(shell("/usr/bin/unshare --user true 2>&1; /usr/bin/unshare --mount true 2>&1"));
  CHECK(result.out ==
        "unshare: unshare failed: Operation not permitted\n"
        "unshare: unshare failed: Operation not permitted\n");
  result = run(shell("(echo a; echo b) | sort -r & wait; grep Seccomp: /proc/self/status"));
  CHECK(result.out == "b\na\nSeccomp:\t2\n");
}

TEST_CASE("child: while Jsonnet is evaluated nothing can be opened or started") {
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    allow_evaluation_only();
    const bool closed = ::open("/dev/null", O_RDONLY) < 0 && errno == EPERM &&
                        ::socket(AF_UNIX, SOCK_STREAM, 0) < 0 && errno == EPERM &&
                        ::kill(::getpid(), 0) < 0 && errno == EPERM &&
                        ::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) < 0 && errno == EPERM;
    void* const memory =
        ::mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ::_exit(closed && memory != MAP_FAILED && ::write(STDERR_FILENO, "", 0) == 0 ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("child: Jsonnet allows itself evaluation only, before it reads anything") {
  const kubist::util::TempDir folder;
  ChildCommand command;
  command.program = kubist::paths::jsonnet_child();
  auto child = spawn(command, folder.path());
  REQUIRE(child);
  // All of it is written only when the child has begun to read: the pipe takes one byte less.
  ::fcntl(child->in.get(), F_SETFL, 0);
  const std::string input(static_cast<std::size_t>(::fcntl(child->in.get(), F_GETPIPE_SZ)) + 1,
                          'x');
  CHECK(::write(child->in.get(), input.data(), input.size()) == static_cast<ssize_t>(input.size()));
  const auto status = kubist::util::read_file("/proc/" + std::to_string(child->pid) + "/status");
  child->in.reset();
  REQUIRE(::waitpid(child->pid, nullptr, 0) == child->pid);
  REQUIRE(status);
  CHECK(filters_of(*status) == filters_of(run(shell("cat /proc/self/status")).out) + 1);
}
#endif

TEST_CASE("child: of a long stderr the end is kept") {
  auto command = shell("i=0; while [ $i -lt 3000 ]; do echo line $i >&2; i=$((i+1)); done");
  command.limits.stderr_tail_bytes = 100;
  auto result = run(command);
  CHECK(result.stderr_tail.size() <= 100);
  CHECK(result.stderr_tail.ends_with("line 2999\n"));
}

TEST_CASE("child: a stop request kills it") {
  std::stop_source source;
  std::jthread later([&] { source.request_stop(); });
  auto result = run_child(shell("sleep 60"), source.get_token());
  REQUIRE(result);
  CHECK(result->cancelled);
  CHECK(result->took < 10s);
}

TEST_CASE("child: what it leaves running does not outlive it") {
  auto result = run(shell("sleep 60 & echo $!"));
  CHECK(result.took < 10s);
  auto pid = static_cast<pid_t>(std::stol(result.out));
  // Killed with its group. Its new parent may have looked already; then there is nothing to open.
  const int process = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (process >= 0) {
    pollfd ended{process, POLLIN, 0};
    CHECK(::poll(&ended, 1, 10'000) == 1);
    ::close(process);
  }
}

TEST_CASE("child: a program that is not there is a start error") {
  ChildCommand command;
  command.program = "/no/such/program";
  auto result = run_child(command);
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == kubist::util::ErrorKind::not_found);
}

TEST_CASE("exec: the program's hash is checked, its path is absolute") {
  kubist::util::TempDir folder;
  auto path = folder.path() / "tool";
  std::string script = "#!/bin/sh\nsed s/a/b/\n";
  REQUIRE(kubist::util::write_file(path, script, 0700));
  ExecProgram program{path, {}, kubist::util::sha256_hex(script), {}};
  CHECK(run_exec("tool", program, "aha").output == "bha");
  program.sha256 = std::string(64, '0');
  auto wrong = run_exec("tool", program, "x");
  REQUIRE_FALSE(wrong.output);
  CHECK(wrong.output.error().kind == kubist::util::ErrorKind::forbidden);
  program = {"tool", {}, "", {}};
  CHECK_FALSE(run_exec("tool", program, "x").output);
}
