#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace kubist::data {

/// Appends a code point in UTF-8.
void append_utf8(std::string& out, char32_t code_point);
/// The length of the well-formed UTF-8 sequence at the start of `text`, 0 when there is none.
std::size_t utf8_length(std::string_view text);
/// The code point of a well-formed sequence of that length.
char32_t utf8_decode(std::string_view sequence);
/// Valid UTF-8 comes back as it is; else a copy in `buffer` with U+FFFD for each byte that is not,
/// as Go's JSON writer has it.
std::string_view valid_utf8(std::string_view text, std::string& buffer);

/// Is it UTF-16, by its byte order mark or by the zero of its first ASCII character?
bool looks_like_utf16(std::string_view text);
/// UTF-16 as UTF-8, without byte order mark; halves of pairs and odd bytes become U+FFFD.
std::string utf8_from_utf16(std::string_view text);

}  // namespace kubist::data
