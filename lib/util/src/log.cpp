#include <mutex>
#include <set>

#include <kubist/util/log.hpp>
#include <kubist/util/text.hpp>

namespace kubist::util {

struct Log::State {
  std::mutex mutex;
  std::set<std::string, std::less<>> warned;
  std::function<void(std::string_view)> write;
};

Log::Log(int verbosity, std::function<void(std::string_view)> write)
    : m_verbosity(verbosity), m_state(std::make_unique<State>()) {
  m_state->write = std::move(write);
}
Log::~Log() = default;

void Log::line(std::string_view text) const {
  const std::string whole = printable(text) + '\n';
  const std::lock_guard lock(m_state->mutex);
  m_state->write(whole);
}

void Log::trace(int level, std::string_view text) const {
  if (enabled(level)) {
    line(text);
  }
}

void Log::warn(std::string_view text) const {
  {
    const std::lock_guard lock(m_state->mutex);
    if (!m_state->warned.emplace(text).second) {
      return;
    }
  }
  line("Warning: " + std::string(text));
}

}  // namespace kubist::util
