#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubist::http {

/// One header field. Names compare without case (RFC 9110 5.1).
struct Header {
  std::string name;
  std::string value;
  bool operator==(const Header&) const = default;
};

/// In the order sent or received; a name may come several times.
using Headers = std::vector<Header>;

/// The first value of `name`, or nothing. The view lives as long as `headers`.
std::optional<std::string_view> find_header(const Headers& headers, std::string_view name);
/// Replaces every field of that name by this one.
void set_header(Headers& headers, std::string_view name, std::string value);
/// Can it be a header's value as it is: only printable ASCII? A line's end would begin another
/// one.
bool is_header_value(std::string_view text);
/// "value" of "name: value" lines whose value must not be printed (Authorization, cookies, ...).
bool is_secret_header(std::string_view name);

}  // namespace kubist::http
