#pragma once
#include <functional>
#include <string>
#include <string_view>

#include <kubist/data/json_text.hpp>

#include "value_traits.hpp"

namespace kubist::data {

/// Appends a JSON string with Go's escapes, quotes included.
void append_json_string(std::string_view text, bool escape_html, std::string& out);
void append_number(std::int64_t number, std::string& out);
void append_number(std::uint64_t number, std::string& out);

/// Writes a tree as JSON text; the same code for Json values and for parsed replies.
template <class Traits>
class JsonEmitter {
 public:
  using Value = typename Traits::Value;

  JsonEmitter(const JsonStyle& style, bool drop_managed_fields, std::string& out)
      : m_style(style), m_drop(drop_managed_fields), m_out(out) {}

  void write(Value root) { write(root, m_style.level, {}, true); }

 private:
  void write(Value value, std::size_t level, std::string_view skip, bool at_root) {
    switch (Traits::type(value)) {
      case ValueType::null:
        m_out += "null";
        return;
      case ValueType::boolean:
        m_out += Traits::boolean(value) ? "true" : "false";
        return;
      case ValueType::integer:
        append_number(Traits::integer(value), m_out);
        return;
      case ValueType::unsigned_integer:
        append_number(Traits::unsigned_integer(value), m_out);
        return;
      case ValueType::real:
        m_out += go_json_number(Traits::real(value));
        return;
      case ValueType::string:
        append_json_string(Traits::text(value), m_style.escape_html, m_out);
        return;
      case ValueType::list:
        write_list(value, level);
        return;
      case ValueType::map:
        write_map(value, level, skip, at_root);
        return;
    }
  }

  void write_list(Value list, std::size_t level) {
    bool first = true;
    m_out += '[';
    Traits::for_items(list, [&](Value item) {
      m_out.append(first ? 0 : 1, ',');
      first = false;
      new_line(level + 1);
      write(item, level + 1, {}, false);
    });
    if (!first) {
      new_line(level);
    }
    m_out += ']';
  }

  void write_map(Value map, std::size_t level, std::string_view skip, bool at_root) {
    const std::size_t first = m_entries.push(map, skip);
    const std::size_t end = m_entries.size();
    m_out += '{';
    for (std::size_t i = first; i < end; ++i) {
      const Entry<Value> entry = m_entries[i];
      m_out.append(i == first ? 0 : 1, ',');
      new_line(level + 1);
      append_json_string(entry.key, m_style.escape_html, m_out);
      m_out += m_style.indent > 0 ? ": " : ":";
      write(entry.value, level + 1, skip_in(entry.key, at_root, m_drop), false);
    }
    if (first != end) {
      new_line(level);
    }
    m_out += '}';
    m_entries.pop(first);
  }

  void new_line(std::size_t level) {
    if (m_style.indent > 0) {
      m_out += '\n';
      m_out.append(level * m_style.indent, ' ');
    }
  }

  const JsonStyle& m_style;
  bool m_drop;
  std::string& m_out;
  EntryStack<Traits, std::less<>> m_entries;
};

}  // namespace kubist::data
