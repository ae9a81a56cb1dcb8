#include "yaml_style.hpp"

#include <array>

#include "scalar.hpp"

namespace kubist::data {
namespace {

/// What libyaml's analysis finds out about a scalar.
struct Analysis {
  bool plain_allowed = true;
  bool single_quoted_allowed = true;
  bool block_allowed = true;
};

/// Letters, digits and punctuation that mean nothing anywhere inside a scalar.
constexpr std::array<bool, 256> k_ordinary = [] {
  std::array<bool, 256> ordinary{};
  for (std::size_t c = 0x21; c < 0x7F; ++c) {
    ordinary[c] = c != '#' && c != ':';
  }
  return ordinary;
}();

bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool is_indicator_first(std::string_view text, bool followed_by_blank) {
  const char c = text[0];
  if (std::string_view("#,[]{}&*!|>'\"%@`").find(c) != std::string_view::npos) {
    return true;
  }
  return (c == '?' || c == ':' || c == '-') && followed_by_blank;
}

Analysis analyze(std::string_view text) {
  bool indicators = text.starts_with("---") || text.starts_with("...");
  bool special = false;
  bool breaks = false;
  bool break_space = false;
  bool space_break = false;
  bool previous_space = false;
  bool previous_break = false;
  bool preceded_by_blank = true;
  std::size_t width = 1;
  for (std::size_t at = 0; at < text.size(); at += width) {
    const char c = text[at];
    width = 1;
    if (at > 0 && k_ordinary[static_cast<unsigned char>(c)]) {
      previous_space = previous_break = preceded_by_blank = false;
      continue;
    }
    const std::string_view sequence = next_character(text, at);
    width = sequence.size();
    const bool followed_by_blank = at + width >= text.size() || is_blank(text[at + width]);
    if (at == 0) {
      indicators = indicators || is_indicator_first(text, followed_by_blank);
    } else {
      indicators = indicators || (c == ':' && followed_by_blank) || (c == '#' && preceded_by_blank);
    }
    special = special || !is_yaml_printable(sequence);
    const bool space = c == ' ';
    const bool line_break = is_yaml_break(sequence);
    breaks = breaks || line_break;
    break_space = break_space || (space && previous_break);
    space_break = space_break || (line_break && previous_space);
    previous_space = space;
    previous_break = line_break;
    preceded_by_blank = is_blank(c) || line_break || c == '\0';
  }
  // The last character's class is still in previous_space and previous_break.
  const std::string_view first = next_character(text, 0);
  const bool edges = first == " " || is_yaml_break(first) || previous_space || previous_break;
  Analysis analysis;
  analysis.plain_allowed =
      !(edges || break_space || space_break || special || breaks || indicators);
  analysis.single_quoted_allowed = !(break_space || space_break || special);
  analysis.block_allowed = !(previous_space || space_break || special);
  return analysis;
}

}  // namespace

std::string_view next_character(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t width = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  return text.substr(at, width);
}

bool is_yaml_break(std::string_view sequence) {
  return sequence == "\n" || sequence == "\r" || sequence == "\xC2\x85" ||
         sequence == "\xE2\x80\xA8" || sequence == "\xE2\x80\xA9";
}

bool is_yaml_printable(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) {
    return lead == 0x0A || (lead >= 0x20 && lead <= 0x7E);
  }
  if (sequence.size() < 2) {
    return false;
  }
  if (lead == 0xC2) {
    return byte(1) >= 0xA0;
  }
  if (lead == 0xEF && sequence.size() == 3) {  // not the byte order mark, U+FFFE and U+FFFF
    return !(byte(1) == 0xBB && byte(2) == 0xBF) && !(byte(1) == 0xBF && byte(2) >= 0xBE);
  }
  return lead > 0xC2 && lead <= 0xEE && (lead != 0xED || byte(1) < 0xA0);
}

YamlStyle choose_style(std::string_view text, bool is_key) {
  if (text.empty()) {
    return YamlStyle::double_quoted;
  }
  const Analysis analysis = analyze(text);
  if (text.find('\n') != text.npos) {
    return analysis.block_allowed && !is_key ? YamlStyle::literal : YamlStyle::double_quoted;
  }
  if (resolve_plain(text).kind != ScalarKind::string || is_base60(text)) {
    return YamlStyle::double_quoted;
  }
  if (analysis.plain_allowed) {
    return YamlStyle::plain;
  }
  return analysis.single_quoted_allowed ? YamlStyle::single_quoted : YamlStyle::double_quoted;
}

}  // namespace kubist::data
