#include <array>
#include <cstring>
#include <string_view>

#include <sys/random.h>

#include <kubist/util/random.hpp>

namespace kubist::util {
namespace {

template <std::size_t N>
std::array<unsigned char, N> random_bytes() {
  std::array<unsigned char, N> bytes{};
  // getrandom never fails or cuts short for up to 256 bytes once the kernel's pool is seeded.
  [[maybe_unused]] const auto got = getrandom(bytes.data(), bytes.size(), 0);
  return bytes;
}

}  // namespace

double random_unit() {
  const auto bytes = random_bytes<8>();
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), sizeof bits);
  return static_cast<double>(bits >> 11U) * 0x1.0p-53;
}

std::string random_uuid() {
  constexpr std::string_view k_hex = "0123456789abcdef";
  auto bytes = random_bytes<16>();
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0FU) | 0x40U);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3FU) | 0x80U);
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) {
      text += '-';
    }
    text += {k_hex[bytes[i] >> 4U], k_hex[bytes[i] & 15U]};
  }
  return text;
}

std::string random_suffix(std::size_t length) {
  constexpr std::string_view k_alphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string text;
  for (std::size_t i = 0; i < length; ++i) {
    text += k_alphabet[static_cast<std::size_t>(random_unit() * k_alphabet.size())];
  }
  return text;
}

}  // namespace kubist::util
