#include "session/tree_keeper.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <kubist/util/clock.hpp>
#include <kubist/util/memory.hpp>
#include <kubist/util/threads.hpp>

namespace kubist::executors {

namespace {

constexpr int k_pause_factor = 9;  // as many times what it took
constexpr std::chrono::milliseconds k_least_pause{100};
constexpr std::chrono::seconds k_ask_again{5};

}  // namespace

TreeKeeper::TreeKeeper(Read read, std::function<void(Tree)> tell)
    : m_read(std::move(read)), m_tell(std::move(tell)) {}

TreeKeeper::~TreeKeeper() = default;

// The thread begins with the first question: where all runs read all of the tree, there is none.
void TreeKeeper::ask() {
  const std::lock_guard lock(m_mutex);
  m_asked = true;
  if (!m_thread.joinable()) {
    if (auto thread = util::start_thread([this](const std::stop_token& stop) { work(stop); })) {
      m_thread = *std::move(thread);
    }
  }
  m_asked_for.notify_all();
}

void TreeKeeper::work(const std::stop_token& stop) {
  const util::MemoryScope memory(util::Stay::passing);
  while (true) {
    {
      std::unique_lock lock(m_mutex);
      if (!m_asked_for.wait(lock, stop, [this] { return m_asked; })) {
        return;
      }
      m_asked = false;
    }
    const auto began = std::chrono::steady_clock::now();
    const auto told = util::guarded([&]() -> util::Result<> {
      KUBIST_TRY(Tree tree, m_read(stop));
      m_tell(std::move(tree));
      return {};
    });
    std::chrono::nanoseconds rest = k_ask_again;
    if (told) {
      rest = std::max<std::chrono::nanoseconds>(
          k_pause_factor * (std::chrono::steady_clock::now() - began), k_least_pause);
    } else {
      const std::lock_guard lock(m_mutex);
      m_asked = true;
    }
    if (!util::sleep_for(rest, stop)) {
      return;
    }
  }
}

}  // namespace kubist::executors
