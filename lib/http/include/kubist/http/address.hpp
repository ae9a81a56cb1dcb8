#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kubist::http {

/// Is it the text of an address that this machine or its neighbours have for themselves: loopback,
/// unspecified, private (RFC 1918, RFC 4193), shared (RFC 6598), link-local, or where Azure serves
/// its machines; also written as IPv6 (as is_link_local())? A name is none.
bool is_internal(std::string_view address);

/// The addresses of a host as the system's resolver knows them, as text; of an address itself, in
/// whatever spelling ("127.1"). Empty: it knows none. Blocks as long as the resolver does.
std::vector<std::string> addresses_of(const std::string& host);

}  // namespace kubist::http
