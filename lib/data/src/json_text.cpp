#include <array>
#include <charconv>

#include <kubist/data/json_text.hpp>

#include "json_emitter.hpp"
#include "utf8.hpp"

namespace kubist::data {
namespace {

/// Bytes that a JSON string takes as they are; UTF-8 sequences are looked at one by one.
constexpr std::array<bool, 256> k_safe = [] {
  std::array<bool, 256> safe{};
  for (std::size_t c = 0x20; c < 0x80; ++c) {
    safe[c] = c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
  }
  return safe;
}();

void append_unicode_escape(unsigned code, std::string& out) {
  constexpr std::string_view k_hex = "0123456789abcdef";
  out += {'\\',
          'u',
          k_hex[code >> 12U],
          k_hex[(code >> 8U) & 15U],
          k_hex[(code >> 4U) & 15U],
          k_hex[code & 15U]};
}

void append_ascii(char c, bool escape_html, std::string& out) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte < 0x20 || escape_html) {
    append_unicode_escape(byte, out);
  } else {
    out += c;
  }
}

template <class Integer>
void append_integer(Integer number, std::string& out) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  out.append(buffer, end);
}

}  // namespace

void append_number(std::int64_t number, std::string& out) { append_integer(number, out); }
void append_number(std::uint64_t number, std::string& out) { append_integer(number, out); }

void append_json_string(std::string_view text, bool escape_html, std::string& out) {
  out += '"';
  std::size_t start = 0;
  std::size_t at = 0;
  auto flush = [&] { out.append(text, start, at - start); };
  while (at < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (k_safe[byte]) {
      ++at;
      continue;
    }
    if (byte < 0x80) {
      flush();
      append_ascii(text[at], escape_html, out);
      start = ++at;
      continue;
    }
    const std::size_t length = utf8_length(text.substr(at));
    const std::string_view sequence = text.substr(at, std::max<std::size_t>(1, length));
    if (length == 0 || sequence == "\u2028" || sequence == "\u2029") {
      flush();
      append_unicode_escape(length == 0 ? 0xFFFDU : static_cast<unsigned>(utf8_decode(sequence)),
                            out);
      at += sequence.size();
      start = at;
    } else {
      at += length;
    }
  }
  flush();
  out += '"';
}

void write_json(const Json& value, std::string& out, const JsonStyle& style) {
  JsonEmitter<JsonTraits>(style, false, out).write(&value);
}

bool is_utf8(std::string_view text) {
  std::string replaced;
  return valid_utf8(text, replaced).data() == text.data();
}

std::string to_json(const Json& value) {
  std::string text;
  write_json(value, text);
  return text;
}

std::string to_indented_json(const Json& value) {
  std::string text;
  write_json(value, text, {.indent = 2});
  text += '\n';
  return text;
}

std::string to_kubectl_json(const Json& value) {
  std::string text;
  write_json(value, text, k_kubectl_json);
  text += '\n';
  return text;
}

}  // namespace kubist::data
