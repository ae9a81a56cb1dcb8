#include "utf8.hpp"

namespace kubist::data {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

constexpr char32_t k_replacement = 0xFFFD;

}  // namespace

void append_utf8(std::string& out, char32_t c) {
  auto add = [&out](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    add(c);
  } else if (c < 0x800) {
    add(0xC0 | (c >> 6U));
    add(0x80 | (c & 0x3FU));
  } else if (c < 0x10000) {
    add(0xE0 | (c >> 12U));
    add(0x80 | ((c >> 6U) & 0x3FU));
    add(0x80 | (c & 0x3FU));
  } else {
    add(0xF0 | (c >> 18U));
    add(0x80 | ((c >> 12U) & 0x3FU));
    add(0x80 | ((c >> 6U) & 0x3FU));
    add(0x80 | (c & 0x3FU));
  }
}

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) {
    return 0;
  }
  const unsigned lead = byte_at(text, 0);
  if (lead < 0x80) {
    return 1;
  }
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, i) & 0xC0U) != 0x80U) {
      return 0;
    }
  }
  const unsigned second = byte_at(text, 1);  // no overlong forms, surrogates, or beyond U+10FFFF
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
      (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) {
    return 0;
  }
  return length;
}

char32_t utf8_decode(std::string_view sequence) {
  const unsigned lead = byte_at(sequence, 0);
  if (sequence.size() == 1) {
    return lead;
  }
  char32_t c = lead & (0x7FU >> sequence.size());
  for (std::size_t i = 1; i < sequence.size(); ++i) {
    c = (c << 6U) | (byte_at(sequence, i) & 0x3FU);
  }
  return c;
}

std::string_view valid_utf8(std::string_view text, std::string& buffer) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length =
        static_cast<unsigned char>(text[at]) < 0x80 ? 1 : utf8_length(text.substr(at));
    if (length == 0) {
      break;
    }
    at += length;
  }
  if (at == text.size()) {
    return text;
  }
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    buffer += length == 0 ? std::string_view("\uFFFD") : text.substr(i, length);
    i += std::max<std::size_t>(1, length);
  }
  return buffer;
}

bool looks_like_utf16(std::string_view text) {
  if (text.size() < 2) {
    return false;
  }
  const unsigned a = byte_at(text, 0);
  const unsigned b = byte_at(text, 1);
  return (a == 0xFF && b == 0xFE) || (a == 0xFE && b == 0xFF) || (a == 0 && b != 0) ||
         (a != 0 && b == 0);
}

std::string utf8_from_utf16(std::string_view text) {
  const bool big_endian = byte_at(text, 0) == 0xFE || byte_at(text, 0) == 0;
  auto unit = [&](std::size_t at) -> char32_t {
    const unsigned a = byte_at(text, at);
    const unsigned b = byte_at(text, at + 1);
    return big_endian ? (a << 8U) | b : (b << 8U) | a;
  };
  std::string out;
  out.reserve(text.size() / 2);
  std::size_t at = unit(0) == 0xFEFF ? 2 : 0;
  for (; at + 1 < text.size(); at += 2) {
    char32_t c = unit(at);
    if (c >= 0xD800 && c <= 0xDFFF) {
      const char32_t low = at + 3 < text.size() ? unit(at + 2) : 0;
      const bool pair = c <= 0xDBFF && low >= 0xDC00 && low <= 0xDFFF;
      c = pair ? 0x10000 + ((c - 0xD800) << 10U) + (low - 0xDC00) : k_replacement;
      at += pair ? 2 : 0;
    }
    append_utf8(out, c);
  }
  if (at < text.size()) {
    append_utf8(out, k_replacement);
  }
  return out;
}

}  // namespace kubist::data
