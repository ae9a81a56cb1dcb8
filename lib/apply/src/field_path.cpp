#include "field_path.hpp"

#include <optional>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

namespace kubist::apply {
namespace {

using data::Json;

/// The length of the "[...]" at the start of `path`, minding quotes; 0: none.
std::size_t bracket_length(std::string_view path) {
  bool quoted = false;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (quoted && path[i] == '\\') {
      ++i;
    } else if (path[i] == '"') {
      quoted = !quoted;
    } else if (path[i] == ']' && !quoted) {
      return i + 1;
    }
  }
  return 0;
}

/// `name="a",port=80` as {"name": "a", "port": 80}; `="red"` as {"": "red"}.
std::optional<Json> parse_selector(std::string_view text) {
  Json keys = Json::object();
  while (!text.empty()) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) {
      return std::nullopt;
    }
    const std::string name(text.substr(0, equals));
    text.remove_prefix(equals + 1);
    bool quoted = false;
    std::size_t end = 0;
    for (; end < text.size() && (quoted || text[end] != ','); ++end) {
      if (quoted && text[end] == '\\') {
        ++end;
      } else if (text[end] == '"') {
        quoted = !quoted;
      }
    }
    keys[name] = data::parse_json(text.substr(0, end), "key").value_or(Json());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return keys;
}

bool is_selected(const Json& element, const Json& keys) {
  for (const auto& [name, value] : keys.items()) {
    const Json* found = name.empty() ? &element : data::find_path(element, {name});
    if (found == nullptr || *found != value) {
      return false;
    }
  }
  return true;
}

FoundField find_below(const Json& value, std::string_view path, const std::string& pointer);

FoundField find_element(const Json& list, std::string_view path, const std::string& pointer) {
  const std::size_t length = bracket_length(path);
  if (length < 2 || !list.is_array()) {
    return {nullptr, pointer};
  }
  const std::string_view inside = path.substr(1, length - 2);
  const auto index = util::parse_int(inside);
  const auto keys = index ? std::nullopt : parse_selector(inside);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (index ? *index == static_cast<long long>(i) : keys && is_selected(list[i], *keys)) {
      std::string below = pointer;
      data::append_token(below, i);
      return find_below(list[i], path.substr(length), below);
    }
  }
  return {nullptr, pointer};
}

FoundField find_below(const Json& value, std::string_view path, const std::string& pointer) {
  if (path.empty()) {
    return {&value, pointer};
  }
  if (path[0] == '[') {
    return find_element(value, path, pointer);
  }
  FoundField best{nullptr, pointer};
  if (path[0] != '.' || !value.is_object()) {
    return best;
  }
  path.remove_prefix(1);
  std::size_t longest = 0;
  for (const auto& [key, child] : value.items()) {
    const bool fits =
        path.starts_with(key) && key.size() >= longest &&
        (path.size() == key.size() || path[key.size()] == '.' || path[key.size()] == '[');
    if (fits) {
      std::string below = pointer;
      data::append_token(below, key);
      FoundField found = find_below(child, path.substr(key.size()), below);
      if (found.value != nullptr || best.value == nullptr) {
        best = std::move(found);
        longest = key.size();
      }
    }
  }
  return best;
}

}  // namespace

FoundField find_field(const Json& object, std::string_view path) {
  return find_below(object, path, "");
}

namespace {

struct RefusedField {
  std::string path;  ///< as find_field takes it; empty: none
  bool unknown = false;
};

RefusedField refused_field(const util::Error& error) {
  // Server-side apply: ".spec.foo: field not declared in schema", ".data.a: expected string, got
  // ...".
  const std::string& message = error.message;
  for (const std::string_view fault : {": field not declared in schema", ": expected "}) {
    const auto end = message.find(fault);
    const auto begin = end == std::string::npos ? end : message.rfind(' ', end);
    if (begin != std::string::npos && begin + 1 < end && message[begin + 1] == '.') {
      return {message.substr(begin + 1, end - begin - 1), fault.find("schema") != fault.npos};
    }
  }
  // Validation: one cause, as "spec.replicas: Invalid value: -1: ...".
  if (error.details.size() == 1) {
    const std::string& cause = error.details.front().message;
    const std::string path = cause.substr(0, cause.find(": "));
    if (path.size() < cause.size() && path.find(' ') == std::string::npos) {
      return {"." + path, false};
    }
  }
  return {};
}

}  // namespace

util::SourcePos refused_place(const util::Error& error, const resources::Manifest& manifest) {
  const RefusedField field = refused_field(error);
  if (field.path.empty()) {
    return manifest.pos;
  }
  const std::string pointer = find_field(manifest.object, field.path).pointer;
  return pointer.empty()
             ? manifest.pos
             : manifest.position(pointer, field.unknown ? data::At::key : data::At::value);
}

}  // namespace kubist::apply
