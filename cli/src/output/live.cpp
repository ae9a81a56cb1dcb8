#include "live.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <kubist/util/text.hpp>

namespace kubist::cli {

using util::cat;

namespace {

/// As many code points of the line as fit.
std::string_view cut(std::string_view line, std::size_t columns) {
  if (util::display_width(line) <= columns) {
    return line;
  }
  std::size_t end = std::min(line.size(), columns);
  while (end < line.size() && util::display_width(line.substr(0, end)) < columns) {
    ++end;
  }
  const auto continues = [&](std::size_t at) {
    return at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U;
  };
  while (end > 0 && (continues(end) || util::display_width(line.substr(0, end)) > columns)) {
    --end;
  }
  return line.substr(0, end);
}

}  // namespace

void Live::show(std::string_view text) {
  if (text == m_shown) {
    return;
  }
  m_shown = text;
  if (!m_columns) {
    m_out.write(text);
    m_out.flush();
    return;
  }
  const std::size_t columns = m_columns();
  std::string frame = m_lines > 0 ? cat("\x1b[", m_lines, "A\x1b[J") : "";
  m_lines = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    frame += cut(text.substr(at, end - at), columns);
    frame += '\n';
    ++m_lines;
    at = end + 1;
  }
  m_out.write(frame);
  m_out.flush();
}

std::size_t terminal_columns() {
  constexpr std::size_t k_usual = 80;
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : k_usual;
}

}  // namespace kubist::cli
