#include <algorithm>
#include <atomic>
#include <latch>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kubist/util/threads.hpp>

using namespace kubist::util;

TEST_CASE("threads: guarded gives what the call gives, and what it throws as an error") {
  CHECK(guarded([] {}));
  CHECK(guarded([] { return 7; }) == 7);
  CHECK(guarded([]() -> Result<int> { return 8; }) == 8);
  CHECK(guarded([]() -> Result<int> { return fail(ErrorKind::denied, "no"); }).error().kind ==
        ErrorKind::denied);
  const auto thrown = guarded([]() -> int { throw std::runtime_error("a bug"); });
  REQUIRE_FALSE(thrown);
  CHECK(thrown.error().kind == ErrorKind::internal);
  CHECK(thrown.error().message == "unexpected: a bug");
  CHECK_FALSE(thrown.error().hint.empty());
  CHECK(guarded([] { throw 1; }).error().message == "unexpected: an exception of an unknown type");
}

TEST_CASE(
    "threads: each index is worked on once, with a bound, and the first exception comes home") {
  std::vector<std::atomic<int>> calls(10'000);
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  const auto work = [&](std::size_t i) {
    int now = ++running;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
    ++calls[i];
    --running;
    if (i % 1000 == 999) {
      throw std::runtime_error("one of them");
    }
  };
  CHECK_THROWS_WITH_AS(for_each_index(calls.size(), 8, work), "one of them", std::runtime_error);
  CHECK(std::all_of(calls.begin(), calls.end(), [](const auto& each) { return each == 1; }));
  CHECK(most <= 8);
  for_each_index(0, 8, [](std::size_t) { FAIL("there is nothing to do"); });
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// In a child: the limit stays with the process.
TEST_CASE("threads: where no thread can be made any more, the work is done with those there are") {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    constexpr rlim_t k_little = rlim_t{512} << 20U;
    const rlimit limit{k_little, k_little};
    setrlimit(RLIMIT_AS, &limit);
    auto& never = *new std::latch(1);
    std::vector<std::jthread> blocked;
    blocked.reserve(10'000);
    Result<std::jthread> last = fail(ErrorKind::internal, "");
    do {
      last = start_thread([&never](const std::stop_token&) { never.wait(); });
      if (last) {
        blocked.push_back(*std::move(last));
      }
    } while (last && blocked.size() < 10'000);
    const bool refused = !last && last.error().kind == ErrorKind::unavailable;
    std::atomic<int> done = 0;
    for_each_index(100, 50, [&](std::size_t) { ++done; });
    _exit(refused && done == 100 ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
#endif
