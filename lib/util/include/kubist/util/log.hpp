#pragma once
#include <functional>
#include <memory>
#include <string_view>

namespace kubist::util {

enum class LogForm {
  text,
  json,  ///< a JSON object a line: level (debug, info, warn, error), ts (RFC 3339), msg
};

/// Where messages for people go (stderr in the program, a string in tests). Any thread. Lines are
/// made printable(). Nothing here may hold a secret: mask before.
class Log {
 public:
  /// `write` gets whole lines with their newline, from any thread, and with no lock held: it may
  /// wait for one whose holder logs.
  Log(int verbosity, std::function<void(std::string_view)> write);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  /// Before any other thread uses it.
  void set_form(LogForm form);

  /// kubectl's -v: 0 is quiet, 6 shows requests, 7 headers, 8 and 9 bodies.
  int verbosity() const { return m_verbosity; }
  bool enabled(int level) const { return level <= m_verbosity; }
  /// A line of progress or trace, shown when `level` <= verbosity.
  void trace(int level, std::string_view line) const;
  /// "Warning: text"; each text once in the life of this log.
  void warn(std::string_view text) const;
  /// A line that is always shown.
  void line(std::string_view text) const;
  /// "error: text".
  void error(std::string_view text) const;

 private:
  struct State;
  void write(std::string_view level, std::string_view prefix, std::string_view text) const;
  int m_verbosity;
  std::unique_ptr<State> m_state;
};

}  // namespace kubist::util
