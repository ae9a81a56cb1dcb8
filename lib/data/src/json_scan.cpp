#include "json_scan.hpp"

#include <charconv>

#include <kubist/data/document.hpp>
#include <kubist/data/json_stream.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/data/raw_format.hpp>

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

std::string without_managed_fields(std::string_view raw) {
  JsonScanner scanner(raw);
  if (!enter(scanner, "metadata") || !scanner.take('{')) {
    return std::string(raw);
  }
  for (bool first = true;; first = false) {
    const std::size_t before = scanner.position();  // before the comma, if any
    const auto key = scanner.next_key();
    if (!key || !scanner.skip_value()) {
      return std::string(raw);
    }
    if (*key == "managedFields") {
      std::size_t after = scanner.position();
      if (first && scanner.take(',')) {
        after = scanner.position();
      }
      std::string text;
      text.reserve(raw.size() - (after - before));
      text.append(raw.substr(0, before)).append(raw.substr(after));
      return text;
    }
  }
}

namespace {

/// The members of the object at the pointer that can be read.
Json readable_members(std::string_view raw, std::string_view pointer) {
  Json members = Json::object();
  const std::string_view text = scan_pointer(raw, pointer).value_or("");
  JsonScanner scanner(text);
  if (!scanner.take('{')) {
    return members;
  }
  for (auto key = scanner.next_key(); key; key = scanner.next_key()) {
    const std::size_t start = scanner.position();
    if (!scanner.skip_value()) {
      break;
    }
    auto value = parse_json(text.substr(start, scanner.position() - start), std::string(pointer));
    if (value && key->find('\\') == key->npos) {
      members[std::string(*key)] = *std::move(value);
    }
  }
  return members;
}

}  // namespace

Json outline(std::string_view raw) {
  Json object = readable_members(raw, "");
  for (auto member = object.begin(); member != object.end();) {
    const bool kept = member.key() == "apiVersion" || member.key() == "kind";
    member = kept ? std::next(member) : object.erase(member);
  }
  object["metadata"] = readable_members(raw, "/metadata");
  object["metadata"].erase("managedFields");
  object["spec"] = readable_members(raw, "/spec");
  return object;
}

}  // namespace kubist::data
