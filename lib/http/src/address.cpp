#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include <arpa/inet.h>
#include <netdb.h>

#include <kubist/http/address.hpp>
#include <kubist/http/url.hpp>

namespace kubist::http {
namespace {

using Six = std::array<unsigned char, 16>;

struct Block {
  std::uint32_t address;
  int bits;
};

constexpr Block k_link_local{0xA9FE0000, 16};
constexpr std::array k_internal{
    Block{0x00000000, 8},  Block{0x0A000000, 8},  Block{0x64400000, 10},
    Block{0x7F000000, 8},  k_link_local,          Block{0xAC100000, 12},
    Block{0xC0A80000, 16}, Block{0xA83F8110, 32},  // https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
};

bool is_in(std::uint32_t address, const Block& block) {
  return (address ^ block.address) >> (32 - block.bits) == 0;
}

std::uint32_t number_of(const unsigned char* four) {
  return std::uint32_t{four[0]} << 24U | std::uint32_t{four[1]} << 16U |
         std::uint32_t{four[2]} << 8U | four[3];
}

std::optional<Six> read_six(std::string_view address) {
  const std::string text(address.substr(0, address.find('%')));
  Six six{};
  return inet_pton(AF_INET6, text.c_str(), six.data()) == 1 ? std::optional(six) : std::nullopt;
}

/// An IPv4 address, by itself or within an IPv6 one.
std::optional<std::uint32_t> read_four(std::string_view address) {
  const std::string text(address);
  std::array<unsigned char, 4> four{};
  if (inet_pton(AF_INET, text.c_str(), four.data()) == 1) {
    return number_of(four.data());
  }
  constexpr std::array<unsigned char, 12> k_mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  constexpr std::array<unsigned char, 12> k_nat64{0, 0x64, 0xFF, 0x9B};  // RFC 6052
  const auto six = read_six(address);
  const bool has_four = six && (std::equal(k_mapped.begin(), k_mapped.end(), six->begin()) ||
                                std::equal(k_nat64.begin(), k_nat64.end(), six->begin()));
  return has_four ? std::optional(number_of(six->data() + k_mapped.size())) : std::nullopt;
}

}  // namespace

bool is_link_local(std::string_view address) {
  if (const auto four = read_four(address)) {
    return is_in(*four, k_link_local);
  }
  const auto six = read_six(address);
  return six && (*six)[0] == 0xFE && ((*six)[1] & 0xC0U) == 0x80;
}

bool is_internal(std::string_view address) {
  if (const auto four = read_four(address)) {
    return std::any_of(k_internal.begin(), k_internal.end(),
                       [&](const Block& block) { return is_in(*four, block); });
  }
  const auto six = read_six(address);
  const bool loopback =
      six &&
      std::all_of(six->begin(), six->end() - 1, [](unsigned char byte) { return byte == 0; }) &&
      six->back() <= 1;  // and ::
  return loopback || is_link_local(address) || (six && ((*six)[0] & 0xFEU) == 0xFC);
}

std::vector<std::string> addresses_of(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) {
    return {};
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, &freeaddrinfo);
  std::vector<std::string> texts;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (getnameinfo(each->ai_addr, each->ai_addrlen, text.data(), text.size(), nullptr, 0,
                    NI_NUMERICHOST) == 0) {
      texts.emplace_back(text.data());
    }
  }
  return texts;
}

}  // namespace kubist::http
