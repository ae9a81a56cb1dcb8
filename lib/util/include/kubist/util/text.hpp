#pragma once
#include <charconv>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kubist::util {

/// One piece of cat(): text, a character, a bool ("true"/"false") or a number in decimal.
class Piece {
 public:
  Piece(std::string_view text) : m_text(text) {}            // NOLINT: implicit on purpose
  Piece(const std::string& text) : m_text(text) {}          // NOLINT
  Piece(const char* text) : m_text(text) {}                 // NOLINT
  Piece(char c) : m_text(m_buffer, 1) { m_buffer[0] = c; }  // NOLINT
  Piece(bool b) : m_text(b ? "true" : "false") {}           // NOLINT
  template <class T>
  requires((std::integral<T> || std::floating_point<T>)&&!std::same_as<T, bool> &&
           !std::same_as<T, char>) Piece(T number) {  // NOLINT
    auto end = std::to_chars(m_buffer, m_buffer + sizeof m_buffer, number).ptr;
    m_text = {m_buffer, static_cast<std::size_t>(end - m_buffer)};
  }
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;
  std::string_view text() const { return m_text; }

 private:
  char m_buffer[32] = {};
  std::string_view m_text;
};

/// Joins pieces into one string with one allocation: cat("line ", 3, ": ", name).
std::string cat_pieces(std::initializer_list<std::string_view> pieces);
template <class... Args>
std::string cat(const Args&... args) {
  return cat_pieces({Piece(args).text()...});
}

/// Pieces of `text` between separators; "a,,b" gives three, "" gives one empty piece.
std::vector<std::string> split(std::string_view text, char separator);
/// The pieces with `separator` between them.
std::string join(const std::vector<std::string>& pieces, std::string_view separator);
/// Without ASCII white space at both ends.
std::string_view trim(std::string_view text);
/// An ASCII digit, whatever the locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// ASCII lower case.
std::string lower(std::string_view text);
/// ASCII case-insensitive equality (HTTP header names).
bool iequals(std::string_view a, std::string_view b);
/// The text with every `from` replaced by `to`.
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);
/// Percent-encoding for one URL path segment or query value (RFC 3986 unreserved stay).
std::string percent_encode(std::string_view text);
/// The text with each %XX as the byte that it stands for; any other '%' stays as it is.
std::string percent_decode(std::string_view text);
/// Whole text as a decimal integer, or nothing.
std::optional<long long> parse_int(std::string_view text);

/// Levenshtein distance, bytes, adjacent transpositions count one.
std::size_t edit_distance(std::string_view a, std::string_view b);
/// The candidate nearest to `word` within a third of its length (at least 1), or nothing.
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);
/// ", did you mean \"x\"?" or an empty string: the tail of an error message.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// Does `text` match `pattern`, in which '*' stands for any run of characters?
bool glob_match(std::string_view pattern, std::string_view text);
/// The text; where it has more than `most` bytes, those of them that are whole characters (UTF-8)
/// and `mark`.
std::string shortened(std::string_view text, std::size_t most,
                      std::string_view mark = " ... (cut)");
/// The number of characters of UTF-8 text.
std::size_t code_points(std::string_view text);
/// The number of terminal columns of UTF-8 text (code points; East Asian wide ones count two).
std::size_t display_width(std::string_view text);
enum class Colors { show, keep };
/// The text so that it can neither drive a terminal nor show as another one: control characters
/// (C0 but tab and newline, DEL, C1), marks, overrides and isolates of writing direction, and bytes
/// that are no UTF-8 as \xNN. A second time changes nothing. `keep`: sequences that set colours
/// stay as they are.
std::string printable(std::string_view text, Colors colors = Colors::show);

}  // namespace kubist::util
