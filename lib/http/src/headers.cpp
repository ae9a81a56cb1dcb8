#include <algorithm>
#include <array>

#include <kubist/http/headers.hpp>
#include <kubist/util/text.hpp>

namespace kubist::http {

std::optional<std::string_view> find_header(const Headers& headers, std::string_view name) {
  for (const Header& header : headers) {
    if (util::iequals(header.name, name)) {
      return header.value;
    }
  }
  return {};
}

void set_header(Headers& headers, std::string_view name, std::string value) {
  std::erase_if(headers, [&](const Header& header) { return util::iequals(header.name, name); });
  headers.push_back({std::string(name), std::move(value)});
}

bool is_header_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

bool is_secret_header(std::string_view name) {
  static constexpr std::array<std::string_view, 5> k_secret{"authorization", "proxy-authorization",
                                                            "cookie", "set-cookie", "x-auth-token"};
  return std::any_of(k_secret.begin(), k_secret.end(),
                     [&](std::string_view secret) { return util::iequals(secret, name); });
}

}  // namespace kubist::http
