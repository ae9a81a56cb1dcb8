#pragma once
#include <cstddef>
#include <string_view>

namespace kubist::util {

/// As much of UTF-8 text from its beginning as fits into so many bytes, in whole characters.
inline std::string_view cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) {
    return text;
  }
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0U) == 0x80U) {
    --most;
  }
  return text.substr(0, most);
}

}  // namespace kubist::util
