#pragma once
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include <kubist/cli/sink.hpp>

namespace kubist::cli {

/// Of a terminal, in characters.
struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

/// The size of the terminal behind a file descriptor; the default where it does not say.
TerminalSize terminal_size(int descriptor);

/// As many columns of the line as fit. Escape sequences take none.
std::string cut_to(std::string_view line, std::size_t columns);

/// Lines at the end of a terminal that are drawn again and again, with what else is written there
/// above them. Any thread.
class Picture {
 public:
  explicit Picture(Sink& out) : m_out(out) {}
  Picture(const Picture&) = delete;
  Picture& operator=(const Picture&) = delete;

  /// Whole lines, which take the place of those before. Lines wider than `columns` are cut, so that
  /// none takes two of the terminal's.
  void draw(std::string_view lines, std::size_t columns);
  /// Whole lines that stay, above the picture.
  void write(std::string_view lines);
  /// Takes it away while `write` writes to the terminal by itself, such as a question or what goes
  /// to standard output. Nothing is drawn meanwhile; lines that write() gets wait, but this
  /// thread's.
  void aside(const std::function<void()>& write);
  /// Takes it away.
  void clear() { draw("", 0); }

 private:
  std::string erased() const;
  Sink& m_out;
  std::recursive_mutex m_mutex;  ///< what is written aside may say something
  std::string m_drawn;
  std::size_t m_lines = 0;
};

}  // namespace kubist::cli
