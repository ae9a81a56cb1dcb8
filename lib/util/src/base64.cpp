#include <array>

#include <kubist/util/base64.hpp>

namespace kubist::util {
namespace {

constexpr std::string_view k_standard =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view k_url =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string encode(std::string_view bytes, std::string_view alphabet, bool padding) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    unsigned group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = (group << 8U) | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      if (j <= count) {
        text += alphabet[(group >> (18 - 6 * j)) & 63U];
      } else if (padding) {
        text += '=';
      }
    }
  }
  return text;
}

constexpr std::array<signed char, 256> k_values = [] {
  std::array<signed char, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < k_standard.size(); ++i) {
    values[static_cast<unsigned char>(k_standard[i])] = static_cast<signed char>(i);
  }
  return values;
}();

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

std::string base64_encode(std::string_view bytes) { return encode(bytes, k_standard, true); }
std::string base64url_encode(std::string_view bytes) { return encode(bytes, k_url, false); }

std::optional<std::string> base64_decode(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  unsigned group = 0;
  std::size_t digits = 0;
  std::size_t padding = 0;
  for (char c : text) {
    if (is_space(c)) {
      continue;
    }
    if (c == '=') {
      ++padding;
      continue;
    }
    const signed char value = k_values[static_cast<unsigned char>(c)];
    if (value < 0 || padding > 0) {
      return std::nullopt;
    }
    group = (group << 6U) | static_cast<unsigned>(value);
    if (++digits % 4 == 0) {
      bytes += {static_cast<char>(group >> 16U), static_cast<char>(group >> 8U),
                static_cast<char>(group)};
    }
  }
  const std::size_t rest = digits % 4;
  if (rest == 1 || (rest + padding) % 4 != 0 || padding > 2) {
    return std::nullopt;
  }
  if (rest >= 2) {
    group <<= 6 * (4 - rest);
    bytes += static_cast<char>(group >> 16U);
  }
  if (rest == 3) {
    bytes += static_cast<char>(group >> 8U);
  }
  return bytes;
}

}  // namespace kubist::util
