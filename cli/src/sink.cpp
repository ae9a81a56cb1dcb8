#include <cerrno>

#include <unistd.h>

#include <kubist/cli/sink.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {

namespace {
constexpr std::size_t k_buffer_size = 65536;
}

FdSink::FdSink(int fd) : m_fd(fd), m_at_terminal(::isatty(fd) == 1) {}

void FdSink::write(std::string_view text) {
  if (m_at_terminal) {
    m_buffer += util::printable(text, util::Colors::keep);
  } else {
    m_buffer += text;
  }
  if (m_buffer.size() >= k_buffer_size) {
    flush();
  }
}

void FdSink::flush() {
  std::string_view rest = m_buffer;
  while (!rest.empty() && !m_closed) {
    const ssize_t count = ::write(m_fd, rest.data(), rest.size());
    if (count >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      m_closed = true;
    }
  }
  m_buffer.clear();
}

}  // namespace kubist::cli
