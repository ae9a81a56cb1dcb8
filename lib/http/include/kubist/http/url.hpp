#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kubist/util/result.hpp>

namespace kubist::http {

/// An absolute http or https URL (RFC 3986), taken apart.
struct Url {
  std::string scheme;      ///< "http" or "https", lower case
  std::string userinfo;    ///< "user:password", percent-encoded as given; never printed
  std::string host;        ///< without the brackets of an IPv6 address
  std::uint16_t port = 0;  ///< as given, else the scheme's default
  std::string path;        ///< begins with '/'
  std::string query;       ///< without '?'
};

/// Invalid: another scheme, no host, a bad port.
util::Result<Url> parse_url(std::string_view text);
/// The URL again; an IPv6 host gets its brackets, a default port is left out.
std::string to_string(const Url& url);
/// The text of a URL without its userinfo, for messages.
std::string redacted(std::string_view url);
/// Is it localhost, 127.0.0.0/8 or ::1?
bool is_loopback(std::string_view host);

/// "a=1&b=x%20y" of the pairs whose value is not empty, percent-encoded, in the given order.
std::string make_query(const std::vector<std::pair<std::string_view, std::string>>& parameters);

}  // namespace kubist::http
