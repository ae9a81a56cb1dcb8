#pragma once
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubist::http {

/// A block of IPv4 or IPv6 addresses (RFC 4632, RFC 4291 section 2.3).
class Network {
 public:
  /// "10.96.0.0/16", "fd00::/108"; bits behind the prefix do not count. Nothing: it is no block.
  static std::optional<Network> parse(std::string_view text);
  /// Is it the text of an address of the block, also written as IPv6 (::ffff:0:0/96, 64:ff9b::/96)?
  /// A zone is ignored. A name is in no block.
  bool contains(std::string_view address) const;

 private:
  std::array<unsigned char, 16> m_start{};
  unsigned m_bits = 0;
};

/// Is it the text of an address that no member of a project may have kubist ask? Those of
/// 169.254.0.0/16 and fe80::/10 (RFC 3927, RFC 4291 section 2.5.6) and a few others, at which
/// clouds keep the credentials of their machines, and the unspecified ones, which lead to the
/// machine itself. As for Network, however it is written.
bool is_link_local(std::string_view address);
/// Is it the text of an address of 127.0.0.0/8, or ::1? As for Network.
bool is_loopback_address(std::string_view address);

/// What an address is that nothing may be sent to: "a link-local address". Empty: it may be asked.
/// Called on the worker's thread for each address that a name has; never blocks.
using AddressRule = std::function<std::string(std::string_view address)>;
/// The rule that holds for whatever address a user may name: is_link_local().
std::string refuse_link_local(std::string_view address);

/// Is it the text of an address that this machine or its neighbours have for themselves: loopback,
/// unspecified, private (RFC 1918, RFC 4193), shared (RFC 6598), link-local, or where Azure serves
/// its machines; also written as IPv6? A name is none.
bool is_internal(std::string_view address);

/// The addresses of a host as the system's resolver knows them, as text; of an address itself, in
/// whatever spelling ("127.1"). Empty: it knows none. Blocks as long as the resolver does.
std::vector<std::string> addresses_of(const std::string& host);

}  // namespace kubist::http
