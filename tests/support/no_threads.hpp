#pragma once
#include <fstream>
#include <latch>
#include <list>
#include <thread>

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <kubist/util/threads.hpp>

namespace kubist::testing {

/// While it lives, this process can start no thread: there is no memory for its stack. Not under a
/// sanitizer, which maps what it likes.
class NoThreads {
 public:
  NoThreads() {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    getrlimit(RLIMIT_AS, &m_former);
    rlimit limit = m_former;
    limit.rlim_cur = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + k_for_others;
    REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
    // Stacks of threads that have ended are kept, and given to the next ones.
    while (auto thread = util::start_thread([this](const std::stop_token&) { m_end.wait(); })) {
      m_blocked.push_back(*std::move(thread));
    }
  }
  ~NoThreads() {
    setrlimit(RLIMIT_AS, &m_former);
    m_end.count_down();
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  /// Less than a stack, for what runs meanwhile.
  static constexpr rlim_t k_for_others = rlim_t{4} << 20U;
  rlimit m_former{};
  std::latch m_end{1};
  std::list<std::jthread> m_blocked;
};

}  // namespace kubist::testing
