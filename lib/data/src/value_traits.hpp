#pragma once
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>

namespace kubist::data {

enum class ValueType { null, boolean, integer, unsigned_integer, real, string, list, map };

/// One member of a map, in the order in which it is to be written.
template <class Value>
struct Entry {
  std::string_view key;
  Value value;
};

/// How the writers look at a Json tree; RawTraits does the same for a parsed reply.
struct JsonTraits {
  using Value = const Json*;

  static ValueType type(Value value) {
    switch (value->type()) {
      case Json::value_t::boolean:
        return ValueType::boolean;
      case Json::value_t::number_integer:
        return ValueType::integer;
      case Json::value_t::number_unsigned:
        return ValueType::unsigned_integer;
      case Json::value_t::number_float:
        return ValueType::real;
      case Json::value_t::string:
        return ValueType::string;
      case Json::value_t::array:
        return ValueType::list;
      case Json::value_t::object:
        return ValueType::map;
      default:
        return ValueType::null;
    }
  }
  static bool boolean(Value value) { return value->get<bool>(); }
  static std::int64_t integer(Value value) { return value->get<std::int64_t>(); }
  static std::uint64_t unsigned_integer(Value value) { return value->get<std::uint64_t>(); }
  static double real(Value value) { return value->get<double>(); }
  static std::string_view text(Value value) { return value->get_ref<const std::string&>(); }

  template <class Action>
  static void for_items(Value list, Action action) {
    for (const Json& item : *list) {
      action(&item);
    }
  }
  template <class Action>
  static void for_entries(Value map, Action action) {
    for (const auto& [key, value] : map->get_ref<const Json::object_t&>()) {
      action(Entry<Value>{key, &value});
    }
  }
};

/// Members of the maps that are being written, on one stack; sorted by `Less`.
template <class Traits, class Less>
class EntryStack {
 public:
  using Value = typename Traits::Value;

  /// Pushes the members of a map but `skip`; returns where they begin.
  std::size_t push(Value map, std::string_view skip) {
    const std::size_t first = m_entries.size();
    Traits::for_entries(map, [&](Entry<Value> entry) {
      if (skip.empty() || entry.key != skip) {
        m_entries.push_back(entry);
      }
    });
    const auto begin = m_entries.begin() + static_cast<std::ptrdiff_t>(first);
    auto less = [](const Entry<Value>& a, const Entry<Value>& b) { return Less{}(a.key, b.key); };
    if (!std::is_sorted(begin, m_entries.end(), less)) {
      std::stable_sort(begin, m_entries.end(), less);
    }
    return first;
  }
  void pop(std::size_t first) { m_entries.resize(first, Entry<Value>{}); }
  std::size_t size() const { return m_entries.size(); }
  Entry<Value> operator[](std::size_t i) const { return m_entries[i]; }

 private:
  std::vector<Entry<Value>> m_entries;
};

/// Has the list or map nothing to write?
template <class Traits>
bool is_empty(typename Traits::Value value, std::string_view skip = {}) {
  bool empty = true;
  if (Traits::type(value) == ValueType::list) {
    Traits::for_items(value, [&](auto) { empty = false; });
  } else {
    Traits::for_entries(
        value, [&](const auto& entry) { empty = empty && !skip.empty() && entry.key == skip; });
  }
  return empty;
}

/// The key to leave out of a map under `key` of the root: metadata.managedFields.
inline std::string_view skip_in(std::string_view key, bool at_root, bool drop_managed_fields) {
  return drop_managed_fields && at_root && key == "metadata" ? "managedFields" : std::string_view{};
}

}  // namespace kubist::data
