#include "live.hpp"

#include <unistd.h>

namespace kubist::cli {

void Live::show(std::string_view text) {
  if (text == m_shown) {
    return;
  }
  m_shown = text;
  if (m_columns) {
    m_picture.draw(text, m_columns());
  } else {
    m_out.write(text);
    m_out.flush();
  }
}

std::size_t terminal_columns() { return terminal_size(STDOUT_FILENO).columns; }

}  // namespace kubist::cli
