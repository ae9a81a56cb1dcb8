#include "go_unquote.hpp"

#include <charconv>
#include <cstdint>

#include "utf8.hpp"

namespace kubist::data {
namespace {

class Unquoter {
 public:
  Unquoter(std::string_view text, char quote) : m_text(text), m_quote(quote) {}

  std::optional<std::string> run() {
    while (m_at < m_text.size()) {
      const char c = m_text[m_at++];
      if (c == m_quote) {
        return std::nullopt;
      }
      if (c != '\\') {
        m_out += c;
      } else if (!escape()) {
        return std::nullopt;
      }
    }
    return m_out;
  }

 private:
  bool escape() {
    if (m_at == m_text.size()) {
      return false;
    }
    const char c = m_text[m_at++];
    constexpr std::string_view k_letters = "abfnrtv\\";
    constexpr std::string_view k_values = "\a\b\f\n\r\t\v\\";
    if (const auto i = k_letters.find(c); i != k_letters.npos) {
      m_out += k_values[i];
      return true;
    }
    switch (c) {
      case 'x':
        return code(2, 16, true);
      case 'u':
        return code(4, 16, false);
      case 'U':
        return code(8, 16, false);
      default:
        break;
    }
    if (c >= '0' && c <= '7') {
      --m_at;
      return code(3, 8, true);
    }
    m_out += c;
    return c == m_quote;
  }

  bool code(std::size_t digits, int base, bool byte) {
    std::uint32_t value = 0;
    const std::string_view text = m_text.substr(m_at, digits);
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || text.size() != digits || stop != text.data() + digits ||
        value > (byte ? 0xFFU : 0x10FFFFU)) {
      return false;
    }
    m_at += digits;
    if (byte) {
      m_out += static_cast<char>(value);
    } else {
      append_utf8(m_out, value);
    }
    return true;
  }

  std::string_view m_text;
  char m_quote;
  std::size_t m_at = 0;
  std::string m_out;
};

}  // namespace

std::optional<std::string> go_unquote(std::string_view text, char quote) {
  return Unquoter(text, quote).run();
}

}  // namespace kubist::data
