#include <atomic>
#include <csignal>
#include <thread>

#include <pthread.h>
#include <unistd.h>

#include <kubist/util/cancel.hpp>

namespace kubist::util {

struct Cancellation::State {
  void wait(const std::stop_token& own);

  std::stop_source source;
  std::stop_token token = source.get_token();
  std::atomic<int> signal = 0;
  sigset_t blocked{};
  sigset_t before{};
  std::jthread thread;
};

void Cancellation::State::wait(const std::stop_token& own) {
  while (!own.stop_requested()) {
    const int number = sigwaitinfo(&blocked, nullptr);
    if (number == SIGINT || number == SIGTERM) {
      if (signal != 0) {
        _exit(128 + number);
      }
      signal = number;
      source.request_stop();
    }
  }
}

Cancellation::Cancellation() : m_state(std::make_unique<State>()) {}

const std::stop_token& Cancellation::token() {
  if (!m_state->thread.joinable()) {
    sigemptyset(&m_state->blocked);
    for (int number : {SIGINT, SIGTERM, SIGUSR2}) {  // SIGUSR2 is only how the destructor wakes us
      sigaddset(&m_state->blocked, number);
    }
    pthread_sigmask(SIG_BLOCK, &m_state->blocked, &m_state->before);
    // Throws where no thread can be made, and cli::run() catches it: the command ends.
    m_state->thread =
        std::jthread([state = m_state.get()](const std::stop_token& own) { state->wait(own); });
  }
  return m_state->token;
}

Cancellation::~Cancellation() {
  if (m_state->thread.joinable()) {
    m_state->thread.request_stop();
    pthread_kill(m_state->thread.native_handle(), SIGUSR2);
    m_state->thread.join();
    pthread_sigmask(SIG_SETMASK, &m_state->before, nullptr);
  }
}

int Cancellation::signal() const { return m_state->signal; }

}  // namespace kubist::util
