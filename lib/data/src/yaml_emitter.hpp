#pragma once
#include <string>
#include <string_view>

#include "value_traits.hpp"

namespace kubist::data {

/// go-yaml's order of keys: runs of digits compare as numbers, letters after other characters. Like
/// the original it is no strict weak order for all keys ("1a" < "01" < "2" < "10" < "1a").
struct NaturalLess {
  bool operator()(std::string_view a, std::string_view b) const;
};

/// Writes scalars as go-yaml v2's emitter (a port of libyaml's) does, with its style choice and its
/// folding at 80 columns. Knows the column that the output stands in.
class YamlScalars {
 public:
  explicit YamlScalars(std::string& out) : m_out(out) {}

  /// A string; `indent` is that of its continuation lines. Keys are never folded.
  void text(std::string_view text, std::size_t indent, bool is_key);
  /// A key longer than 128 bytes or of several lines needs the "? key" form.
  static bool is_simple_key(std::string_view key);
  /// Numbers, booleans, null, indicators: ASCII, as it is.
  void raw(std::string_view ascii);
  void real(double number);
  void new_line();
  /// A line break where the line is not empty.
  void end_line() {
    if (m_column > 0) {
      new_line();
    }
  }
  void pad_to(std::size_t column);

 private:
  void plain(std::string_view text, std::size_t indent, bool fold);
  void single_quoted(std::string_view text, std::size_t indent, bool fold);
  void double_quoted(std::string_view text, std::size_t indent, bool fold);
  void literal(std::string_view text, std::size_t indent);
  void copy(std::string_view sequence);
  void copy_break(std::string_view sequence);
  void escape(std::string_view sequence);
  void fold_line(std::size_t indent);

  std::string& m_out;
  std::size_t m_column = 0;
};

/// Writes a tree as YAML; the same code for Json values and for parsed replies.
template <class Traits>
class YamlEmitter {
 public:
  using Value = typename Traits::Value;

  YamlEmitter(bool drop_managed_fields, std::string& out)
      : m_drop(drop_managed_fields), m_scalars(out) {}

  void document(Value root) {
    if (!block(root, {})) {
      scalar(root, 2);
    } else if (Traits::type(root) == ValueType::map) {
      map(root, 0, false, {}, true);
    } else {
      list(root, 0, false);
    }
    m_scalars.end_line();
  }

  void item(Value value, std::size_t indent) {
    m_scalars.pad_to(indent);
    dash(value, indent, true);
    m_scalars.end_line();
  }

 private:
  static bool block(Value value, std::string_view skip) {
    const ValueType type = Traits::type(value);
    return (type == ValueType::map || type == ValueType::list) && !is_empty<Traits>(value, skip);
  }

  void map(Value value, std::size_t indent, bool in_line, std::string_view skip, bool at_root) {
    const std::size_t first = m_entries.push(value, skip);
    const std::size_t end = m_entries.size();
    for (std::size_t i = first; i < end; ++i) {
      const Entry<Value> entry = m_entries[i];
      if (i != first || !in_line) {
        m_scalars.end_line();
        m_scalars.pad_to(indent);
      }
      const std::string_view skip_below = skip_in(entry.key, at_root, m_drop);
      if (YamlScalars::is_simple_key(entry.key)) {
        m_scalars.text(entry.key, indent + 2, true);
        m_scalars.raw(":");
        simple_value(entry.value, indent, skip_below);
      } else {
        m_scalars.raw("? ");
        m_scalars.text(entry.key, indent + 2, false);
        m_scalars.end_line();
        m_scalars.pad_to(indent);
        m_scalars.raw(": ");
        inline_value(entry.value, indent, skip_below);
      }
    }
    m_entries.pop(first);
  }

  /// After "key:" a map goes one level in, a list stays at the key's indent.
  void simple_value(Value value, std::size_t indent, std::string_view skip) {
    if (!block(value, skip)) {
      m_scalars.raw(" ");
      scalar(value, indent + 2);
    } else if (Traits::type(value) == ValueType::map) {
      map(value, indent + 2, false, skip, false);
    } else {
      list(value, indent, false);
    }
  }

  /// After "- ", "? " or ": " a map or list begins on the same line.
  void inline_value(Value value, std::size_t indent, std::string_view skip, bool at_root = false) {
    if (!block(value, skip)) {
      scalar(value, indent + 2);
    } else if (Traits::type(value) == ValueType::map) {
      map(value, indent + 2, true, skip, at_root);
    } else {
      list(value, indent + 2, true);
    }
  }

  void list(Value value, std::size_t indent, bool in_line) {
    bool first = true;
    Traits::for_items(value, [&](Value item) {
      if (!first || !in_line) {
        m_scalars.end_line();
        m_scalars.pad_to(indent);
      }
      first = false;
      dash(item, indent, false);
    });
  }

  void dash(Value item, std::size_t indent, bool at_root) {
    m_scalars.raw("- ");
    inline_value(item, indent, {}, at_root);
  }

  void scalar(Value value, std::size_t indent) {
    switch (Traits::type(value)) {
      case ValueType::null:
        m_scalars.raw("null");
        return;
      case ValueType::boolean:
        m_scalars.raw(Traits::boolean(value) ? "true" : "false");
        return;
      case ValueType::integer:
        m_scalars.raw(std::to_string(Traits::integer(value)));
        return;
      case ValueType::unsigned_integer:
        m_scalars.raw(std::to_string(Traits::unsigned_integer(value)));
        return;
      case ValueType::real:
        m_scalars.real(Traits::real(value));
        return;
      case ValueType::string:
        m_scalars.text(Traits::text(value), indent, false);
        return;
      case ValueType::list:
        m_scalars.raw("[]");
        return;
      case ValueType::map:
        m_scalars.raw("{}");
        return;
    }
  }

  bool m_drop;
  YamlScalars m_scalars;
  EntryStack<Traits, NaturalLess> m_entries;
};

}  // namespace kubist::data
