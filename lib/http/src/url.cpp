#include <algorithm>

#include <arpa/inet.h>

#include <kubist/http/url.hpp>
#include <kubist/util/text.hpp>

namespace kubist::http {
namespace {

std::size_t after_scheme(std::string_view url) {
  const auto scheme_end = url.find("://");
  return scheme_end == std::string_view::npos ? 0 : scheme_end + 3;
}

/// `url` without what is from `start` to the last '@' before `end`.
std::string hide_user(std::string_view url, std::size_t start, std::size_t end) {
  const auto at = url.substr(0, end).rfind('@');
  if (at == std::string_view::npos || at < start) {
    return std::string(url);
  }
  return util::cat(url.substr(0, start), "***", url.substr(at));
}

/// Of a text that is no URL nobody knows where a password in it ends ("https:/me:pw@host",
/// "https://me:p/w@host").
tl::unexpected<util::Error> bad_url(std::string_view text, std::string_view why) {
  return util::fail(util::ErrorKind::invalid,
                    util::cat("URL ", hide_user(text, after_scheme(text), text.npos), ": ", why));
}

/// What may stand in brackets: an IPv6 address, with a zone or without.
bool is_ipv6(std::string_view host) {
  in6_addr address{};
  return inet_pton(AF_INET6, std::string(host.substr(0, host.find('%'))).c_str(), &address) == 1;
}

/// A name or an IPv4 address: no white space, control character or bracket (RFC 3986 reg-name).
bool is_name(std::string_view host) {
  return std::none_of(host.begin(), host.end(), [](char c) {
    return (c >= '\0' && c <= ' ') || c == '\x7F' ||
           std::string_view("[]<>\"\\^`{|}").find(c) != std::string_view::npos;
  });
}

std::uint16_t default_port(std::string_view scheme) { return scheme == "https" ? 443 : 80; }

util::Result<> parse_authority(std::string_view authority, std::string_view whole, Url& url) {
  if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
    url.userinfo = authority.substr(0, at);
    authority.remove_prefix(at + 1);
  }
  std::string_view port;
  if (authority.starts_with('[')) {
    const auto end = authority.find(']');
    if (end == std::string_view::npos) {
      return bad_url(whole, "'[' of the IPv6 address has no ']'");
    }
    url.host = authority.substr(1, end - 1);
    port = authority.substr(end + 1);
    if (!is_ipv6(url.host)) {
      return bad_url(whole, "no IPv6 address in the brackets");
    }
  } else {
    const auto colon = authority.find(':');
    url.host = authority.substr(0, colon);
    port = colon == std::string_view::npos ? "" : authority.substr(colon);
  }
  if (url.host.empty()) {
    return bad_url(whole, "no host");
  }
  if (!authority.starts_with('[') && !is_name(url.host)) {
    return bad_url(whole, "the host has a character that no name of a host has");
  }
  url.port = default_port(url.scheme);
  if (port.empty() || port == ":") {
    return {};
  }
  const auto number = port.front() == ':' ? util::parse_int(port.substr(1)) : std::nullopt;
  if (!number || *number < 1 || *number > 65535) {
    return bad_url(whole, "the port is no number from 1 to 65535");
  }
  url.port = static_cast<std::uint16_t>(*number);
  return {};
}

}  // namespace

util::Result<Url> parse_url(std::string_view text) {
  Url url;
  const auto scheme_end = text.find("://");
  url.scheme = util::lower(text.substr(0, scheme_end == std::string_view::npos ? 0 : scheme_end));
  if (url.scheme != "http" && url.scheme != "https") {
    return bad_url(text, "it must begin with http:// or https://");
  }
  std::string_view rest = text.substr(scheme_end + 3);
  rest = rest.substr(0, rest.find('#'));
  const auto authority_end = rest.find_first_of("/?");
  KUBIST_CHECK(parse_authority(rest.substr(0, authority_end), text, url));
  rest = authority_end == std::string_view::npos ? "" : rest.substr(authority_end);
  const auto query = rest.find('?');
  url.path = rest.substr(0, query);
  if (query != std::string_view::npos) {
    url.query = rest.substr(query + 1);
  }
  if (url.path.empty()) {
    url.path = "/";
  }
  return url;
}

std::string to_string(const Url& url) {
  const bool ipv6 = url.host.find(':') != std::string::npos;
  std::string text = util::cat(url.scheme, "://", url.userinfo, url.userinfo.empty() ? "" : "@",
                               ipv6 ? "[" : "", url.host, ipv6 ? "]" : "");
  if (url.port != default_port(url.scheme)) {
    text += util::cat(':', url.port);
  }
  text += url.path;
  if (!url.query.empty()) {
    text += '?' + url.query;
  }
  return text;
}

std::string redacted(std::string_view url) {
  const std::size_t start = after_scheme(url);
  return hide_user(url, start, url.find_first_of("/?#", start));
}

bool is_loopback(std::string_view host) {
  return util::iequals(host, "localhost") || host == "::1" || host.starts_with("127.");
}

std::string make_query(const std::vector<std::pair<std::string_view, std::string>>& parameters) {
  std::string query;
  for (const auto& [key, value] : parameters) {
    if (!value.empty()) {
      query += util::cat(query.empty() ? "" : "&", key, '=', util::percent_encode(value));
    }
  }
  return query;
}

}  // namespace kubist::http
