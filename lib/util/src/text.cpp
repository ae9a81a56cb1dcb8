#include <algorithm>
#include <cctype>
#include <numeric>

#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

namespace kubist::util {

std::string cat_pieces(std::initializer_list<std::string_view> pieces) {
  std::size_t size = 0;
  for (std::string_view piece : pieces) {
    size += piece.size();
  }
  std::string text;
  text.reserve(size);
  for (std::string_view piece : pieces) {
    text += piece;
  }
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  std::size_t start = 0;
  for (std::size_t end = text.find(separator); end != text.npos;
       end = text.find(separator, start)) {
    pieces.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  pieces.emplace_back(text.substr(start));
  return pieces;
}

std::string join(const std::vector<std::string>& pieces, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i > 0) {
      text += separator;
    }
    text += pieces[i];
  }
  return text;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view k_space = " \t\r\n\f\v";
  const auto first = text.find_first_not_of(k_space);
  if (first == text.npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(k_space) - first + 1);
}

namespace {
char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
}  // namespace

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), to_lower);
  return result;
}

bool iequals(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return to_lower(x) == to_lower(y); });
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  std::size_t start = 0;
  for (std::size_t at = text.find(from); at != text.npos && !from.empty();
       at = text.find(from, start)) {
    result += text.substr(start, at - start);
    result += to;
    start = at + from.size();
  }
  result += text.substr(start);
  return result;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view k_hex = "0123456789ABCDEF";
  std::string result;
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_' || c == '~') {
      result += c;
    } else {
      result += {'%', k_hex[byte >> 4U], k_hex[byte & 15U]};
    }
  }
  return result;
}

std::string percent_decode(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    unsigned value = 0;
    const bool escape =
        text.size() > 2 && text[0] == '%' &&
        std::from_chars(text.data() + 1, text.data() + 3, value, 16).ptr == text.data() + 3;
    result += escape ? static_cast<char>(value) : text[0];
    text.remove_prefix(escape ? 3 : 1);
  }
  return result;
}

std::optional<long long> parse_int(std::string_view text) {
  long long value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || text.empty()) {
    return std::nullopt;
  }
  return value;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> rows(3 * width);
  std::size_t* before = rows.data();
  std::size_t* previous = before + width;
  std::size_t* current = previous + width;
  std::iota(previous, previous + width, std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j < width; ++j) {
      const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + cost});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    std::size_t* oldest = before;
    before = previous;
    previous = current;
    current = oldest;
  }
  return previous[b.size()];
}

std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  constexpr std::size_t k_longest = 128;  // the time is that of one length by the other
  const std::string wanted = lower(word);
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::optional<std::string> found;
  for (const std::string& candidate : candidates) {
    if (std::max(word.size(), candidate.size()) > k_longest) {
      continue;
    }
    const std::size_t distance = edit_distance(wanted, lower(candidate));
    if (distance < best) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const auto found = nearest(word, candidates);
  return found ? cat(", did you mean \"", *found, "\"?") : std::string{};
}

bool glob_match(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = pattern.npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') {
    ++p;
  }
  return p == pattern.size();
}

namespace {

bool is_wide(char32_t c) {  // Unicode East Asian Width W and F, the blocks that names really use
  return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
         (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
         (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF);
}

char32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
  char32_t c = more == 0 ? lead : lead & (0x3FU >> more);
  for (; more > 0 && at < text.size(); --more) {
    c = (c << 6U) | (static_cast<unsigned char>(text[at++]) & 0x3FU);
  }
  return c;
}

}  // namespace

std::string shortened(std::string_view text, std::size_t most, std::string_view mark) {
  if (text.size() <= most) {
    return std::string(text);
  }
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) {
    --most;  // not within a character
  }
  return cat(text.substr(0, most), mark);
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    width += is_wide(next_code_point(text, at)) ? 2 : 1;
  }
  return width;
}

namespace {

/// The bytes of the character that the text begins with; 0: it is no UTF-8 (RFC 3629, section 4).
std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80; };
  const unsigned lead = byte(0);
  const unsigned next = byte(1);
  if (lead < 0x80) {
    return 1;
  }
  if (lead >= 0xC2 && lead <= 0xDF) {
    return tail(1) ? 2 : 0;
  }
  if (lead >= 0xE0 && lead <= 0xEF) {
    const bool overlong = lead == 0xE0 && next < 0xA0;
    const bool surrogate = lead == 0xED && next > 0x9F;
    return tail(1) && tail(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const bool overlong = lead == 0xF0 && next < 0x90;
    const bool beyond = lead == 0xF4 && next > 0x8F;
    return tail(1) && tail(2) && tail(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

bool drives_terminal(std::string_view character) {
  std::size_t at = 0;
  const char32_t c = next_code_point(character, at);
  const bool control = (c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7F && c < 0xA0);
  const bool direction = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) ||
                         c == 0x200E || c == 0x200F || c == 0x061C;
  return control || direction;
}

/// Of the sequence that it begins with and that sets colours and weight (ECMA-48, SGR): ESC [ 1;31
/// m.
std::size_t color_size(std::string_view text) {
  if (!text.starts_with("\x1b[")) {
    return 0;
  }
  const auto end = text.find_first_not_of("0123456789;:", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

/// GitHub and Azure read commands from what steps print (actions/runner's ActionCommand.cs): a line
/// that begins with "::" after any white space that Unicode has, and "##[" or "##vso[" anywhere.
bool is_read_for_commands() {
  static const bool is_read =
      !environment("GITHUB_ACTIONS").empty() || !environment("TF_BUILD").empty();
  return is_read;
}

std::string without_commands(std::string text) {
  text = replace_all(replace_all(text, "##[", "#\\x23["), "##vso[", "#\\x23vso[");
  for (std::size_t line = 0; line != std::string::npos && line < text.size();) {
    // Whatever is not ASCII may be white space, or be passed over by a comparison of some culture.
    const auto begin =
        std::find_if(text.begin() + static_cast<std::ptrdiff_t>(line), text.end(),
                     [](unsigned char c) { return (c > ' ' && c < 0x80) || c == '\n'; });
    const auto at = static_cast<std::size_t>(begin - text.begin());
    if (text.compare(at, 2, "::") == 0) {
      text.replace(at, 1, "\\x3a");
    }
    line = text.find('\n', line);
    line += line == std::string::npos ? 0 : 1;
  }
  return text;
}

}  // namespace

std::string printable(std::string_view text, Colors colors) {
  constexpr std::string_view k_hex = "0123456789abcdef";
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    if (const std::size_t color = colors == Colors::keep ? color_size(text) : 0; color > 0) {
      result += text.substr(0, color);
      text.remove_prefix(color);
      continue;
    }
    const std::size_t size = character_size(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(size, 1));
    text.remove_prefix(character.size());
    if (size > 0 && !drives_terminal(character)) {
      result += character;
      continue;
    }
    for (const char c : character) {
      const auto byte = static_cast<unsigned char>(c);
      result += {'\\', 'x', k_hex[byte >> 4U], k_hex[byte & 15U]};
    }
  }
  return is_read_for_commands() ? without_commands(std::move(result)) : result;
}

}  // namespace kubist::util
