#include <simdjson.h>

#include <kubist/data/document.hpp>
#include <kubist/data/page_buffer.hpp>
#include <kubist/data/raw_format.hpp>

#include "json_emitter.hpp"
#include "yaml_emitter.hpp"

namespace kubist::data {

using util::Result;

namespace {

namespace dom = simdjson::dom;

/// The writers' view of a parsed reply.
struct RawTraits {
  using Value = dom::element;

  static ValueType type(Value value) {
    switch (value.type()) {
      case dom::element_type::ARRAY:
        return ValueType::list;
      case dom::element_type::OBJECT:
        return ValueType::map;
      case dom::element_type::INT64:
        return ValueType::integer;
      case dom::element_type::UINT64:  // beyond int64: a float for kubectl
      case dom::element_type::DOUBLE:
        return ValueType::real;
      case dom::element_type::STRING:
        return ValueType::string;
      case dom::element_type::BOOL:
        return ValueType::boolean;
      case dom::element_type::NULL_VALUE:
        break;
    }
    return ValueType::null;
  }
  static bool boolean(Value value) { return value.get_bool().value_unsafe(); }
  static std::int64_t integer(Value value) { return value.get_int64().value_unsafe(); }
  static std::uint64_t unsigned_integer(Value value) { return value.get_uint64().value_unsafe(); }
  static double real(Value value) { return value.get_double().value_unsafe(); }
  static std::string_view text(Value value) { return value.get_string().value_unsafe(); }

  template <class Action>
  static void for_items(Value list, Action action) {
    const dom::array items = list.get_array().value_unsafe();
    for (const dom::element item : items) {
      action(item);
    }
  }
  template <class Action>
  static void for_entries(Value map, Action action) {
    const dom::object members = map.get_object().value_unsafe();
    for (const dom::key_value_pair pair : members) {
      action(Entry<Value>{pair.key, pair.value});
    }
  }
};

}  // namespace

struct RawFormatter::Impl {
  RawOptions options;
  dom::parser parser;
  PageBuffer buffer;

  /// Calls `write` with the parsed text: RawTraits' value, or a Json value where simdjson does not
  /// take the text (integers beyond 64 bits).
  template <class WriteRaw, class WriteJson>
  Result<> with(std::string_view raw, WriteRaw write_raw, WriteJson write_json_value) {
    buffer.clear();
    buffer.append(raw);
    dom::element root;
    if (!parser.parse(buffer.view().data(), buffer.size(), false).get(root)) {
      write_raw(root);
      return {};
    }
    ReadOptions read;
    read.big_integers = BigIntegers::as_float;
    read.duplicate_keys = DuplicateKeys::last_wins;
    KUBIST_TRY(const Json value, parse_json(raw, "reply", read));
    write_json_value(&value);
    return {};
  }
};

RawFormatter::RawFormatter(RawOptions options) : m_impl(std::make_unique<Impl>()) {
  m_impl->options = options;
}
RawFormatter::~RawFormatter() = default;
RawFormatter::RawFormatter(RawFormatter&&) noexcept = default;
RawFormatter& RawFormatter::operator=(RawFormatter&&) noexcept = default;

Result<> RawFormatter::json(std::string_view raw, std::string& out, const JsonStyle& style) {
  const bool drop = m_impl->options.drop_managed_fields;
  return m_impl->with(
      raw, [&](dom::element root) { JsonEmitter<RawTraits>(style, drop, out).write(root); },
      [&](const Json* root) { JsonEmitter<JsonTraits>(style, drop, out).write(root); });
}

Result<> RawFormatter::yaml(std::string_view raw, std::string& out) {
  const bool drop = m_impl->options.drop_managed_fields;
  return m_impl->with(
      raw, [&](dom::element root) { YamlEmitter<RawTraits>(drop, out).document(root); },
      [&](const Json* root) { YamlEmitter<JsonTraits>(drop, out).document(root); });
}

Result<> RawFormatter::yaml_item(std::string_view raw, std::size_t indent, std::string& out) {
  const bool drop = m_impl->options.drop_managed_fields;
  return m_impl->with(
      raw, [&](dom::element root) { YamlEmitter<RawTraits>(drop, out).item(root, indent); },
      [&](const Json* root) { YamlEmitter<JsonTraits>(drop, out).item(root, indent); });
}

}  // namespace kubist::data
