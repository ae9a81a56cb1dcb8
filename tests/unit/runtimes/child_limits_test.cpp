#include <fstream>

#include <doctest/doctest.h>
#include <signal.h>

#include "shell.hpp"

using namespace kubist::runtimes;
using namespace std::chrono_literals;

TEST_CASE("child: it has a limit of processes") {
  auto command = shell("grep 'Max processes' /proc/self/limits");
  std::ifstream limits("/proc/self/limits");
  std::string own;
  while (std::getline(limits, own) && own.find("Max processes") == std::string::npos) {
  }
  CHECK(run(command).out != own + "\n");
  command.limits.processes = 0;
  CHECK(run(command).out == own + "\n");
}

TEST_CASE("child: each limit is named") {
  SUBCASE("wall") {
    auto command = shell("sleep 60 & sleep 60");
    command.limits.wall = 200ms;
    auto result = run(command);
    CHECK(result.limit == LimitHit::wall);
    CHECK(result.took < 10s);
    CHECK(child_error(result, "x", command.limits).kind == kubist::util::ErrorKind::timeout);
  }
  SUBCASE("cpu") {
    auto command = shell("while :; do :; done");
    command.limits.cpu = 1s;
    CHECK(run(command).limit == LimitHit::cpu);
  }
  SUBCASE("output") {
    auto command = shell("while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done");
    command.limits.output_bytes = 100000;
    auto result = run(command);
    CHECK(result.limit == LimitHit::output);
    CHECK(result.out.size() <= 100000);
  }
  SUBCASE("file size") {
    auto command = shell("exec head -c 2000000 /dev/zero > big");
    command.limits.file_bytes = 1000;
    CHECK(run(command).limit == LimitHit::file_size);
  }
  SUBCASE("signal") {
    auto result = run(shell("kill -SEGV $$"));
    CHECK(result.signal == SIGSEGV);
    CHECK(child_error(result, "x", {}).message.find("SIGSEGV") != std::string::npos);
  }
}

TEST_CASE("child: memory that can be written has a limit, apart from the address space") {
  auto command = shell("head -c 200000000 /dev/zero | tail -c 100000000 | wc -c");
  command.limits.data_bytes = 64ULL << 20U;
  command.limits.memory_bytes = 16ULL << 30U;
  CHECK(run(command).out == "0\n");
  command.limits.data_bytes = 1ULL << 30U;
  CHECK(run(command).out == "100000000\n");
}

TEST_CASE("child: a program in Go says that its memory ran out, before a long trace") {
  auto command = shell(
      "echo 'fatal error: runtime: out of memory' >&2; head -c 100000 /dev/zero | tr '\\0' x >&2; "
      "exit 2");
  command.limits.data_bytes = 1ULL << 30U;
  const auto result = run(command);
  CHECK(result.limit == LimitHit::memory);
  CHECK(child_error(result, "helm", command.limits).message ==
        "helm needed more than 1024 MiB of memory");
  command.args[1] = "echo 'fatal error: all goroutines are asleep' >&2; exit 2";
  CHECK(run(command).limit == LimitHit::none);
  command.args[1] = "echo 'fatal error: runtime: out of memory' >&2; exit 1";
  CHECK(run(command).limit == LimitHit::none);
}
