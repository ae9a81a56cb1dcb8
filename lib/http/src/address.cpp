#include <algorithm>
#include <initializer_list>
#include <memory>
#include <vector>

#include <arpa/inet.h>
#include <netdb.h>

#include <kubist/http/address.hpp>
#include <kubist/util/text.hpp>

namespace kubist::http {
namespace {

using Bytes = std::array<unsigned char, 16>;

constexpr unsigned k_ipv4_prefix = 96;

/// The one form of an address, whatever it is written as: IPv4 ones are those of ::ffff:0:0/96.
std::optional<Bytes> bytes_of(std::string_view address) {
  const std::string text(address.substr(0, address.find('%')));
  Bytes bytes{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  if (inet_pton(AF_INET, text.c_str(), &bytes[12]) == 1) {
    return bytes;
  }
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) != 1) {
    return {};
  }
  constexpr std::array<unsigned char, 12> k_nat64{0, 0x64, 0xFF, 0x9B};  // RFC 6052
  if (std::equal(k_nat64.begin(), k_nat64.end(), bytes.begin())) {
    std::fill(bytes.begin(), bytes.begin() + 10, static_cast<unsigned char>(0));
    bytes[10] = bytes[11] = 0xFF;
  }
  return bytes;
}

bool is_in(const std::vector<Network>& networks, std::string_view address) {
  return std::any_of(networks.begin(), networks.end(),
                     [&](const Network& network) { return network.contains(address); });
}

std::vector<Network> networks_of(std::initializer_list<std::string_view> texts) {
  std::vector<Network> networks;
  for (const std::string_view text : texts) {
    networks.push_back(Network::parse(text).value());
  }
  return networks;
}

}  // namespace

std::optional<Network> Network::parse(std::string_view text) {
  const auto slash = text.find('/');
  const auto bytes = bytes_of(text.substr(0, slash));
  const long long bits =
      slash == text.npos ? -1 : util::parse_int(text.substr(slash + 1)).value_or(-1);
  const bool ipv4 = text.substr(0, slash).find(':') == text.npos;
  if (!bytes || bits < 0 || bits > (ipv4 ? 32 : 128)) {
    return {};
  }
  Network network;
  network.m_start = *bytes;
  network.m_bits = static_cast<unsigned>(bits) + (ipv4 ? k_ipv4_prefix : 0);
  return network;
}

bool Network::contains(std::string_view address) const {
  const auto bytes = bytes_of(address);
  if (!bytes) {
    return false;
  }
  const unsigned whole = m_bits / 8;
  const unsigned mask = 0xFF00U >> (m_bits % 8) & 0xFFU;
  return std::equal(m_start.begin(), m_start.begin() + whole, bytes->begin()) &&
         (mask == 0 || ((m_start[whole] ^ (*bytes)[whole]) & mask) == 0);
}

bool is_link_local(std::string_view address) {
  // Of the single ones, the first three are the metadata services of AWS, Alibaba and Azure.
  static const std::vector<Network> k_networks =
      networks_of({"169.254.0.0/16", "fe80::/10", "fd00:ec2::254/128", "100.100.100.200/32",
                   "168.63.129.16/32", "0.0.0.0/32", "::/128"});
  return is_in(k_networks, address);
}

bool is_loopback_address(std::string_view address) {
  static const std::vector<Network> k_networks = networks_of({"127.0.0.0/8", "::1/128"});
  return is_in(k_networks, address);
}

bool is_internal(std::string_view address) {
  static const std::vector<Network> k_networks =
      networks_of({"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12",
                   "192.168.0.0/16", "::1/128", "fc00::/7"});
  return is_link_local(address) || is_in(k_networks, address);
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

std::string refuse_link_local(std::string_view address) {
  return is_link_local(address) ? "a link-local address or one like it" : "";
}

}  // namespace kubist::http
