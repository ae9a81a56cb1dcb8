#include <functional>
#include <mutex>
#include <set>
#include <string_view>

#include <kubist/util/duration.hpp>
#include <kubist/util/log.hpp>
#include <kubist/util/text.hpp>

namespace kubist::util {

namespace {

constexpr std::size_t k_most_warned = 10'000;

/// Of text that is printable(): newlines and tabs are all that it has of control characters.
std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
      case '\\':
        quoted += '\\';
        quoted += c;
        break;
      case '\n':
        quoted += "\\n";
        break;
      case '\t':
        quoted += "\\t";
        break;
      default:
        quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace

struct Log::State {
  std::mutex mutex;  ///< guards `warned`
  LogForm form = LogForm::text;
  std::set<std::size_t> warned;  ///< hashes of what was said
  std::function<void(std::string_view)> write;
};

Log::Log(int verbosity, std::function<void(std::string_view)> write)
    : m_verbosity(verbosity), m_state(std::make_unique<State>()) {
  m_state->write = std::move(write);
}
Log::~Log() = default;

void Log::set_form(LogForm form) { m_state->form = form; }

void Log::write(std::string_view level, std::string_view prefix, std::string_view text) const {
  const std::string shown = printable(text);
  const std::string whole = m_state->form == LogForm::text
                                ? cat(prefix, shown, '\n')
                                : cat(R"({"level":")", level, R"(","ts":")",
                                      format_micro_time(std::chrono::system_clock::now()),
                                      R"(","msg":)", json_string(shown), "}\n");
  m_state->write(whole);
}

void Log::line(std::string_view text) const { write("info", "", text); }

void Log::error(std::string_view text) const { write("error", "error: ", text); }

void Log::trace(int level, std::string_view text) const {
  if (enabled(level)) {
    write("debug", "", text);
  }
}

void Log::warn(std::string_view text) const {
  {
    const std::lock_guard lock(m_state->mutex);
    if (m_state->warned.size() >= k_most_warned) {
      m_state->warned.clear();  // who can cause a new one each second must not fill the memory
    }
    if (!m_state->warned.insert(std::hash<std::string_view>{}(text)).second) {
      return;
    }
  }
  write("warn", "Warning: ", text);
}

}  // namespace kubist::util
