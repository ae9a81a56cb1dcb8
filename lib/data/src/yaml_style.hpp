#pragma once
#include <string_view>

namespace kubist::data {

enum class YamlStyle { plain, single_quoted, double_quoted, literal };

/// libyaml's classes of characters, for UTF-8 sequences.
bool is_yaml_break(std::string_view sequence);
bool is_yaml_printable(std::string_view sequence);
/// The next character of valid UTF-8 (libyaml's width by its first byte, cut at the end).
std::string_view next_character(std::string_view text, std::size_t at);

/// The style in which go-yaml v2 writes a string.
YamlStyle choose_style(std::string_view text, bool is_key);

}  // namespace kubist::data
