#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <vector>

#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

namespace kubist::util {
namespace {

constexpr std::size_t k_max_helpers = 512;

/// Keeps the first exception of several threads.
class FirstException {
 public:
  void run(const std::function<void()>& call) {
    try {
      call();
    } catch (...) {
      const std::lock_guard lock(m_mutex);
      m_first = m_first ? m_first : std::current_exception();
    }
  }
  /// Only when no thread runs any more.
  void rethrow() const {
    if (m_first) {
      std::rethrow_exception(m_first);
    }
  }

 private:
  std::mutex m_mutex;
  std::exception_ptr m_first;
};

}  // namespace

Error caught_exception() {
  std::string what = "an exception of an unknown type";
  try {
    throw;
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {  // keeps the words above
  }
  return make_error(ErrorKind::internal, cat("unexpected: ", what),
                    "Run it again; if it happens again, report it as a bug of kubist.");
}

Result<std::jthread> start_thread(std::function<void(std::stop_token)> work) {
  try {
    return std::jthread(std::move(work));
  } catch (const std::system_error& error) {
    return fail(ErrorKind::unavailable, cat("no further thread can be started: ", error.what()),
                "Raise the limit of processes (ulimit -u, or the container's pids limit).");
  }
}

void share_work(std::size_t helpers, const std::function<void()>& work) {
  FirstException first;
  {
    std::vector<std::jthread> threads;
    const std::size_t wanted = std::min(helpers, k_max_helpers);
    threads.reserve(wanted);
    while (threads.size() < wanted) {
      auto thread = start_thread([&](const std::stop_token&) { first.run(work); });
      if (!thread) {
        break;
      }
      threads.push_back(*std::move(thread));
    }
    first.run(work);
  }
  first.rethrow();
}

void for_each_index(std::size_t count, std::size_t at_once,
                    const std::function<void(std::size_t)>& work) {
  if (count == 0) {
    return;
  }
  FirstException first;
  std::atomic<std::size_t> next = 0;
  share_work(std::min(count, std::max<std::size_t>(at_once, 1)) - 1, [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      first.run([&] { work(i); });
    }
  });
  first.rethrow();
}

}  // namespace kubist::util
