#include "yaml_emitter.hpp"

#include <charconv>

#include <kubist/data/json_text.hpp>
#include <kubist/util/text.hpp>

#include "go_number.hpp"
#include "utf8.hpp"
#include "yaml_style.hpp"

namespace kubist::data {
namespace {

constexpr std::size_t k_best_width = 80;
constexpr std::size_t k_max_simple_key = 128;

bool is_space_at(std::string_view text, std::size_t at) {
  return at < text.size() && text[at] == ' ';
}

}  // namespace

void YamlScalars::new_line() {
  m_out += '\n';
  m_column = 0;
}

void YamlScalars::pad_to(std::size_t column) {
  if (m_column < column) {
    m_out.append(column - m_column, ' ');
    m_column = column;
  }
}

void YamlScalars::raw(std::string_view ascii) {
  m_out += ascii;
  m_column += ascii.size();
}

void YamlScalars::copy(std::string_view sequence) {
  m_out += sequence;
  ++m_column;
}

void YamlScalars::copy_break(std::string_view sequence) {
  m_out += sequence;
  m_column = 0;
}

void YamlScalars::fold_line(std::size_t indent) {
  new_line();
  pad_to(indent);
}

/// As the JSON text of the number is read again by go-yaml: whole ones are integers.
void YamlScalars::real(double number) {
  const std::string text = go_json_number(number);
  const char* end = text.data() + text.size();
  auto fits = [&](auto integer) {
    const auto [stop, error] = std::from_chars(text.data(), end, integer);
    return error == std::errc{} && stop == end;
  };
  if (text == "-0") {
    raw("0");
  } else if (text == "null" || fits(std::int64_t{}) || fits(std::uint64_t{})) {
    raw(text);
  } else {
    raw(go_general(number));
  }
}

bool YamlScalars::is_simple_key(std::string_view key) {
  if (key.size() > k_max_simple_key) {
    return false;
  }
  for (std::size_t at = 0; at < key.size();) {
    const std::string_view sequence = next_character(key, at);
    if (is_yaml_break(sequence)) {
      return false;
    }
    at += sequence.size();
  }
  return true;
}

void YamlScalars::text(std::string_view text, std::size_t indent, bool is_key) {
  std::string buffer;
  text = valid_utf8(text, buffer);
  switch (choose_style(text, is_key)) {
    case YamlStyle::plain:
      return plain(text, indent, !is_key);
    case YamlStyle::single_quoted:
      return single_quoted(text, indent, !is_key);
    case YamlStyle::double_quoted:
      return double_quoted(text, indent, !is_key);
    case YamlStyle::literal:
      return literal(text, indent);
  }
}

void YamlScalars::plain(std::string_view text, std::size_t indent, bool fold) {
  if (!fold || m_column + text.size() <= k_best_width) {
    m_out += text;
    m_column += util::code_points(text);
    return;
  }
  bool spaces = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view sequence = next_character(text, at);
    const bool space = sequence == " ";
    if (space && !spaces && m_column > k_best_width && !is_space_at(text, at + 1)) {
      fold_line(indent);
    } else {
      copy(sequence);
    }
    spaces = space;
    at += sequence.size();
  }
}

void YamlScalars::single_quoted(std::string_view text, std::size_t indent, bool fold) {
  raw("'");
  bool spaces = false;
  bool breaks = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view sequence = next_character(text, at);
    if (sequence == " ") {
      const bool inner = at > 0 && at + 1 < text.size() && !is_space_at(text, at + 1);
      if (fold && !spaces && m_column > k_best_width && inner) {
        fold_line(indent);
      } else {
        copy(sequence);
      }
      spaces = true;
    } else if (is_yaml_break(sequence)) {
      copy_break(sequence);
      breaks = true;
    } else {
      if (breaks) {
        pad_to(indent);
      }
      if (sequence == "'") {
        copy("'");
      }
      copy(sequence);
      spaces = false;
      breaks = false;
    }
    at += sequence.size();
  }
  raw("'");
}

void YamlScalars::double_quoted(std::string_view text, std::size_t indent, bool fold) {
  raw("\"");
  const bool escape_all = text.starts_with("\uFEFF");  // go-yaml looks at the first bytes each time
  bool spaces = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view sequence = next_character(text, at);
    if (escape_all || !is_yaml_printable(sequence) || is_yaml_break(sequence) || sequence == "\"" ||
        sequence == "\\") {
      escape(sequence);
      spaces = false;
    } else if (sequence == " ") {
      if (fold && !spaces && m_column > k_best_width && at > 0 && at + 1 < text.size()) {
        fold_line(indent);
        if (is_space_at(text, at + 1)) {
          copy("\\");
        }
      } else {
        copy(sequence);
      }
      spaces = true;
    } else {
      copy(sequence);
      spaces = false;
    }
    at += sequence.size();
  }
  raw("\"");
}

void YamlScalars::escape(std::string_view sequence) {
  const char32_t c = utf8_decode(sequence);
  switch (c) {
    case 0x00:
      return raw("\\0");
    case 0x07:
      return raw("\\a");
    case 0x08:
      return raw("\\b");
    case 0x09:
      return raw("\\t");
    case 0x0A:
      return raw("\\n");
    case 0x0B:
      return raw("\\v");
    case 0x0C:
      return raw("\\f");
    case 0x0D:
      return raw("\\r");
    case 0x1B:
      return raw("\\e");
    case 0x22:
      return raw("\\\"");
    case 0x5C:
      return raw("\\\\");
    case 0x85:
      return raw("\\N");
    case 0xA0:
      return raw("\\_");
    case 0x2028:
      return raw("\\L");
    case 0x2029:
      return raw("\\P");
    default:
      break;
  }
  constexpr std::string_view k_hex = "0123456789ABCDEF";
  raw(c <= 0xFF ? "\\x" : c <= 0xFFFF ? "\\u" : "\\U");
  for (int shift = c <= 0xFF ? 4 : c <= 0xFFFF ? 12 : 28; shift >= 0; shift -= 4) {
    raw(k_hex.substr((c >> static_cast<unsigned>(shift)) & 15U, 1));
  }
}

void YamlScalars::literal(std::string_view text, std::size_t indent) {
  raw("|");
  if (text[0] == ' ' || is_yaml_break(next_character(text, 0))) {
    raw("2");
  }
  auto ends_with_break = [](std::string_view part) {
    for (std::string_view line_break : {"\n", "\r", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"}) {
      if (part.ends_with(line_break)) {
        return line_break.size();
      }
    }
    return std::size_t{0};
  };
  const std::size_t last = ends_with_break(text);
  if (last == 0) {
    raw("-");
  } else if (last == text.size() || ends_with_break(text.substr(0, text.size() - last)) > 0) {
    raw("+");
  }
  new_line();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of("\n\r\xC2\xE2", at), text.size());
    if (end > at) {  // a run without anything that could be a break
      pad_to(m_column == 0 ? indent : 0);
      m_out.append(text, at, end - at);
      m_column += end - at;
      at = end;
      continue;
    }
    const std::string_view sequence = next_character(text, at);
    if (is_yaml_break(sequence)) {
      copy_break(sequence);
    } else {
      pad_to(m_column == 0 ? indent : 0);
      copy(sequence);
    }
    at += sequence.size();
  }
}

namespace {

struct Rune {
  char32_t code;
  bool letter;
  bool digit;
};

/// Unicode's letters, near enough for keys: beyond Latin-1, all but the blocks of symbols.
bool is_letter(char32_t c) {
  if (c < 0xC0) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == 0xAA || c == 0xB5 || c == 0xBA;
  }
  const bool symbol = c == 0xD7 || c == 0xF7 || (c >= 0x2000 && c <= 0x2BFF) ||
                      (c >= 0x3000 && c <= 0x3004) || (c >= 0x3007 && c <= 0x3030) ||
                      (c >= 0xFE00 && c <= 0xFE6F) || (c >= 0xFEFF && c <= 0xFF20) ||
                      (c >= 0xFFE0 && c <= 0xFFFF) || (c >= 0x1D000 && c <= 0x1FFFF);
  return !symbol;
}

std::vector<Rune> runes(std::string_view text) {
  std::vector<Rune> result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(text.substr(at)));
    const char32_t c = utf8_decode(text.substr(at, length));
    result.push_back({c, is_letter(c), c >= '0' && c <= '9'});
    at += length;
  }
  return result;
}

bool rune_less(const std::vector<Rune>& a, const std::vector<Rune>& b, std::size_t i) {
  if (a[i].letter && b[i].letter) {
    return a[i].code < b[i].code;
  }
  if (a[i].letter || b[i].letter) {
    return b[i].letter;
  }
  std::uint64_t x = 0;
  std::uint64_t y = 0;
  if (a[i].code == '0' || b[i].code == '0') {
    for (std::size_t j = i; j > 0 && a[j - 1].digit; --j) {
      if (a[j - 1].code != '0') {
        x = y = 1;
        break;
      }
    }
  }
  std::size_t ai = i;
  for (; ai < a.size() && a[ai].digit; ++ai) {
    x = x * 10 + (a[ai].code - '0');
  }
  std::size_t bi = i;
  for (; bi < b.size() && b[bi].digit; ++bi) {
    y = y * 10 + (b[bi].code - '0');
  }
  if (x != y) {
    return static_cast<std::int64_t>(x) < static_cast<std::int64_t>(y);
  }
  return ai != bi ? ai < bi : a[i].code < b[i].code;
}

}  // namespace

bool NaturalLess::operator()(std::string_view a, std::string_view b) const {
  std::size_t same = 0;
  const std::size_t shorter = std::min(a.size(), b.size());
  while (same < shorter && a[same] == b[same]) {
    ++same;
  }
  if (same == shorter) {
    return a.size() < b.size();
  }
  auto ascii_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (ascii_letter(a[same]) && ascii_letter(b[same])) {  // nearly always
    return a[same] < b[same];
  }
  const std::vector<Rune> x = runes(a);
  const std::vector<Rune> y = runes(b);
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (x[i].code != y[i].code) {
      return rune_less(x, y, i);
    }
  }
  return x.size() < y.size();
}

}  // namespace kubist::data
