#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

#include <kubist/cli/sink.hpp>

namespace kubist::testing {

/// What a watch prints, and the reader that goes away when the test has seen enough.
class WatchedSink final : public cli::Sink {
 public:
  void write(std::string_view text) override {
    const std::lock_guard lock(m_mutex);
    m_text += text;
    m_changed.notify_all();
  }
  void steer(std::string_view sequences) override { write(sequences); }
  bool closed() const override { return m_closed; }
  void close() { m_closed = true; }
  bool wait_for(std::string_view text) {
    std::unique_lock lock(m_mutex);
    return m_changed.wait_for(lock, std::chrono::seconds(30),
                              [&] { return m_text.find(text) != std::string::npos; });
  }
  std::string text() {
    const std::lock_guard lock(m_mutex);
    return m_text;
  }

 private:
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::string m_text;
  std::atomic<bool> m_closed = false;
};

}  // namespace kubist::testing
