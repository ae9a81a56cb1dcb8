#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace kubist::util {

/// Standard base64 with padding (RFC 4648 section 4), no line breaks.
std::string base64_encode(std::string_view bytes);
/// The URL-safe alphabet without padding (RFC 4648 section 5).
std::string base64url_encode(std::string_view bytes);
/// Decodes standard base64; ASCII white space is skipped. Nothing when the text is not base64.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace kubist::util
