#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <thread>

#include <pthread.h>
#include <unistd.h>

#include <kubist/util/cancel.hpp>

namespace kubist::util {

struct Cancellation::State {
  std::atomic<int> signal = 0;
  std::atomic<bool> timed_out = false;
  sigset_t blocked{};
  sigset_t before{};
  std::jthread thread;
};

namespace {
constexpr std::chrono::hours k_forever{24 * 365};

timespec to_timespec(std::chrono::nanoseconds left) {
  const auto count = std::max<long long>(0, left.count());
  return {count / 1'000'000'000, count % 1'000'000'000};
}
}  // namespace

Cancellation::Cancellation(std::optional<std::chrono::nanoseconds> timeout)
    : m_state(std::make_unique<State>()) {
  sigemptyset(&m_state->blocked);
  for (int number : {SIGINT, SIGTERM, SIGUSR2}) {  // SIGUSR2 is only how the destructor wakes us
    sigaddset(&m_state->blocked, number);
  }
  pthread_sigmask(SIG_BLOCK, &m_state->blocked, &m_state->before);
  m_state->thread = std::jthread([this, timeout](std::stop_token own) {
    const auto end = std::chrono::steady_clock::now() + timeout.value_or(k_forever);
    bool waiting_for_deadline = timeout.has_value();
    while (!own.stop_requested()) {
      const auto left = waiting_for_deadline ? end - std::chrono::steady_clock::now()
                                             : std::chrono::nanoseconds(k_forever);
      const timespec limit = to_timespec(left);
      const int number = sigtimedwait(&m_state->blocked, nullptr, &limit);
      if (number < 0 && errno == EAGAIN && waiting_for_deadline) {
        waiting_for_deadline = false;
        m_state->timed_out = true;
        m_source.request_stop();
      } else if (number == SIGINT || number == SIGTERM) {
        if (m_state->signal != 0) {
          _exit(128 + number);
        }
        m_state->signal = number;
        m_source.request_stop();
      }
    }
  });
}

Cancellation::~Cancellation() {
  m_state->thread.request_stop();
  pthread_kill(m_state->thread.native_handle(), SIGUSR2);
  m_state->thread.join();
  pthread_sigmask(SIG_SETMASK, &m_state->before, nullptr);
}

int Cancellation::signal() const { return m_state->signal; }
bool Cancellation::timed_out() const { return m_state->timed_out; }

}  // namespace kubist::util
