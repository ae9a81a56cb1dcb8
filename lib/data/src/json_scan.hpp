#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

namespace kubist::data {

/// A cursor over JSON text that is known or hoped to be well formed; nothing is validated beyond
/// what is needed to stay inside the text. Also works on a text that is cut off.
class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text, std::size_t at = 0) : m_text(text), m_at(at) {}

  std::size_t position() const { return m_at; }
  /// Skips white space; then the character there, '\0' at the end.
  char peek();
  /// Takes `c` if it comes next.
  bool take(char c);
  /// A string without its quotes, escapes as they are; nothing when it is cut off.
  std::optional<std::string_view> raw_string();
  /// Skips one value; false when it is cut off.
  bool skip_value();
  /// Inside an object (after '{' or a value): moves to the next member's value and gives its key.
  std::optional<std::string_view> next_key();

 private:
  std::string_view m_text;
  std::size_t m_at;
};

/// The text of the value at a JSON pointer (object keys and list indices), or nothing.
std::optional<std::string_view> scan_pointer(std::string_view text, std::string_view pointer);

}  // namespace kubist::data
