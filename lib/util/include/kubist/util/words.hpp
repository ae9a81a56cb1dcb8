#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace kubist::util {

/// A value of an enumeration, and what it is called. One table of them serves both directions:
/// `constexpr Word<Verdict> k_verdicts[] = {{Verdict::pass, "pass"}, ...}`.
template <class Value>
using Word = std::pair<Value, std::string_view>;

/// What `value` is called; empty where the table does not have it.
template <class Value, std::size_t N>
constexpr std::string_view word_of(const Word<Value> (&words)[N], Value value) {
  for (const auto& [known, word] : words) {
    if (known == value) {
      return word;
    }
  }
  return {};
}

/// The value that is called `word`; nothing where the table does not have it.
template <class Value, std::size_t N>
constexpr std::optional<Value> value_of(const Word<Value> (&words)[N], std::string_view word) {
  for (const auto& [value, known] : words) {
    if (known == word) {
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace kubist::util
