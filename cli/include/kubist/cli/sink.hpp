#pragma once
#include <string>
#include <string_view>

namespace kubist::cli {

/// Where a command's result goes: standard output in the program, a string in tests. One thread.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(std::string_view text) = 0;
  /// Sequences of kubist's own that move a terminal's cursor, and no text of somebody's. There is
  /// no default: a sink around another must hand them on as what they are.
  virtual void steer(std::string_view sequences) = 0;
  /// Hands on what is buffered, e.g. after each line of a watch.
  virtual void flush() {}
  /// Did the reader go away (a closed pipe)? Commands then stop quietly.
  virtual bool closed() const { return false; }
};

/// Buffers up to 64 KiB for a file descriptor, which it does not own. A program gets what is
/// written byte for byte. At a terminal no text of an object or a log drives it (util::printable;
/// colours stay): there each write() is of whole characters.
class FdSink final : public Sink {
 public:
  explicit FdSink(int fd);
  ~FdSink() override { flush(); }
  FdSink(const FdSink&) = delete;
  FdSink& operator=(const FdSink&) = delete;
  void write(std::string_view text) override;
  void steer(std::string_view sequences) override { m_buffer += sequences; }
  void flush() override;
  bool closed() const override { return m_closed; }

 private:
  const int m_fd;
  const bool m_at_terminal;
  bool m_closed = false;
  std::string m_buffer;
};

class StringSink final : public Sink {
 public:
  void write(std::string_view text) override { m_text += text; }
  void steer(std::string_view sequences) override { m_text += sequences; }
  const std::string& text() const { return m_text; }

 private:
  std::string m_text;
};

}  // namespace kubist::cli
