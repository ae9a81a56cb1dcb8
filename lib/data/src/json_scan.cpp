#include "json_scan.hpp"

#include <charconv>

#include <kubist/data/document.hpp>
#include <kubist/data/json_stream.hpp>
#include <kubist/data/pointer.hpp>

namespace kubist::data {

char JsonScanner::peek() {
  while (m_at < m_text.size() && static_cast<unsigned char>(m_text[m_at]) <= ' ') {
    ++m_at;
  }
  return m_at < m_text.size() ? m_text[m_at] : '\0';
}

bool JsonScanner::take(char c) {
  if (peek() != c) {
    return false;
  }
  ++m_at;
  return true;
}

std::optional<std::string_view> JsonScanner::raw_string() {
  if (!take('"')) {
    return std::nullopt;
  }
  const std::size_t start = m_at;
  for (;;) {
    const std::size_t stop = m_text.find_first_of("\"\\", m_at);
    if (stop == m_text.npos) {
      m_at = m_text.size();
      return std::nullopt;
    }
    if (m_text[stop] == '"') {
      m_at = stop + 1;
      return m_text.substr(start, stop - start);
    }
    m_at = std::min(stop + 2, m_text.size());
  }
}

bool JsonScanner::skip_value() {
  std::size_t depth = 0;
  for (;;) {
    const char c = peek();
    if (c == '\0') {
      return false;
    }
    if (c == '"') {
      if (!raw_string()) {
        return false;
      }
    } else if (c == '{' || c == '[') {
      ++m_at;
      ++depth;
      continue;
    } else if (c == '}' || c == ']') {
      if (depth == 0) {
        return false;
      }
      ++m_at;
      --depth;
    } else if (c == ',' || c == ':') {
      if (depth == 0) {
        return false;
      }
      ++m_at;
      continue;
    } else {
      m_at = std::min(m_text.find_first_of(",:]}\" \t\r\n", m_at), m_text.size());
    }
    if (depth == 0) {
      return true;
    }
  }
}

std::optional<std::string_view> JsonScanner::next_key() {
  take(',');
  const auto key = raw_string();
  if (!key || !take(':')) {
    return std::nullopt;
  }
  return key;
}

namespace {

bool enter(JsonScanner& scanner, std::string_view token) {
  if (scanner.take('{')) {
    for (auto key = scanner.next_key(); key; key = scanner.next_key()) {
      if (*key == token) {
        return true;
      }
      if (!scanner.skip_value()) {
        return false;
      }
    }
    return false;
  }
  std::size_t index = 0;
  const auto [stop, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  if (error != std::errc{} || stop != token.data() + token.size() || !scanner.take('[')) {
    return false;
  }
  for (; index > 0; --index) {
    if (!scanner.skip_value() || !scanner.take(',')) {
      return false;
    }
  }
  return scanner.peek() != ']';
}

}  // namespace

std::optional<std::string_view> scan_pointer(std::string_view text, std::string_view pointer) {
  const auto tokens = split_pointer(pointer);
  if (!tokens) {
    return std::nullopt;
  }
  JsonScanner scanner(text);
  for (const std::string& token : *tokens) {
    if (!enter(scanner, token)) {
      return std::nullopt;
    }
  }
  scanner.peek();
  const std::size_t start = scanner.position();
  if (!scanner.skip_value()) {
    return std::nullopt;
  }
  return text.substr(start, scanner.position() - start);
}

std::optional<std::string> find_continue(std::string_view prefix) {
  JsonScanner scanner(prefix);
  if (!scanner.take('{')) {
    return std::nullopt;
  }
  for (auto key = scanner.next_key(); key; key = scanner.next_key()) {
    if (*key == "items" || *key == "rows") {
      return std::nullopt;
    }
    if (*key != "metadata") {
      if (!scanner.skip_value()) {
        return std::nullopt;
      }
      continue;
    }
    if (!enter(scanner, "continue")) {
      return std::nullopt;
    }
    const std::size_t start = scanner.position();
    const auto raw = scanner.raw_string();
    if (!raw || raw->empty()) {
      return std::nullopt;
    }
    const auto text = parse_json(prefix.substr(start, scanner.position() - start), "continue");
    return text && text->is_string() ? std::optional(text->get<std::string>()) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace kubist::data
