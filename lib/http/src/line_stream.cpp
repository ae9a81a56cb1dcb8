#include <kubist/http/line_stream.hpp>
#include <kubist/util/text.hpp>

namespace kubist::http {

LineStream::LineStream(LineHandler handler, std::size_t max_line)
    : m_handler(std::move(handler)), m_max_line(max_line) {}

util::Result<bool> LineStream::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (m_rest.size() + piece.size() > m_max_line) {
      return util::fail(util::ErrorKind::invalid,
                        util::cat("a line of the stream is longer than ", m_max_line, " bytes"));
    }
    if (end == std::string_view::npos) {
      m_rest += piece;
      break;
    }
    bytes.remove_prefix(end + 1);
    bool go_on = false;
    if (m_rest.empty()) {
      go_on = m_handler(piece);
    } else {
      m_rest += piece;
      go_on = m_handler(m_rest);
      m_rest.clear();
    }
    if (!go_on) {
      return false;
    }
  }
  return true;
}

bool LineStream::finish() {
  if (m_rest.empty()) {
    return true;
  }
  const std::string last = std::move(m_rest);
  m_rest.clear();
  return m_handler(last);
}

}  // namespace kubist::http
