#include "terminal/picture.hpp"

#include <algorithm>
#include <utility>

#include <sys/ioctl.h>

#include <kubist/util/text.hpp>

namespace kubist::cli {

using util::cat;

namespace {

/// The end of the escape sequence or the code point at `at`.
std::size_t next_of(std::string_view line, std::size_t at) {
  std::size_t end = at + 1;
  if (line[at] == '\x1b') {
    while (end < line.size() && (line[end] < '@' || line[end] == '[')) {
      ++end;
    }
    return std::min(end + 1, line.size());
  }
  while (end < line.size() && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) {
    ++end;
  }
  return end;
}

}  // namespace

TerminalSize terminal_size(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    return {};
  }
  return {size.ws_col, size.ws_row};
}

std::string cut_to(std::string_view line, std::size_t columns) {
  std::string kept;
  std::size_t width = 0;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = next_of(line, at);
    const std::string_view part = line.substr(at, end - at);
    const std::size_t own = part.front() == '\x1b' ? 0 : util::display_width(part);
    width += own;
    if (width <= columns || own == 0) {
      kept += part;
    }
    at = end;
  }
  return kept;
}

std::string Picture::erased() const {
  return m_lines == 0 ? std::string() : cat("\r\x1b[", m_lines, "A\x1b[J");
}

void Picture::draw(std::string_view lines, std::size_t columns) {
  std::string drawn;
  std::size_t count = 0;
  for (std::size_t at = 0; at < lines.size(); ++count) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    drawn += cat(cut_to(lines.substr(at, end - at), columns), '\n');
    at = end + 1;
  }
  const std::lock_guard lock(m_mutex);
  if (drawn == m_drawn) {
    return;
  }
  m_out.steer(erased());
  m_out.write(drawn);
  m_out.flush();
  m_drawn = std::move(drawn);
  m_lines = count;
}

void Picture::aside(const std::function<void()>& write) {
  const std::lock_guard lock(m_mutex);
  m_out.steer(erased());
  m_out.flush();
  const std::string drawn = std::exchange(m_drawn, "");
  const std::size_t lines = std::exchange(m_lines, 0);
  write();
  m_out.write(drawn);
  m_out.flush();
  m_drawn = drawn;
  m_lines = lines;
}

void Picture::write(std::string_view lines) {
  const std::lock_guard lock(m_mutex);
  m_out.steer(erased());
  m_out.write(cat(lines, m_drawn));
  m_out.flush();
}

}  // namespace kubist::cli
