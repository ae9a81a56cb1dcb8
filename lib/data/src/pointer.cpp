#include <algorithm>
#include <charconv>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

namespace kubist::data {

using util::ErrorKind;
using util::Result;

namespace {

void append_escaped(std::string& out, std::string_view token) {
  for (char c : token) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
}

/// One token without its escapes, into `out`; false when an escape is wrong.
bool unescape(std::string_view token, std::string& out) {
  out.clear();
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      out += token[i];
    } else if (++i < token.size() && (token[i] == '0' || token[i] == '1')) {
      out += token[i] == '0' ? '~' : '/';
    } else {
      return false;
    }
  }
  return true;
}

std::string_view next_token(std::string_view& pointer) {
  pointer.remove_prefix(1);
  const std::size_t end = std::min(pointer.find('/'), pointer.size());
  const std::string_view token = pointer.substr(0, end);
  pointer.remove_prefix(end);
  return token;
}

std::optional<std::size_t> to_index(std::string_view token) {
  std::size_t index = 0;
  const char* end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, index);
  if (error != std::errc{} || stop != end || (token.size() > 1 && token[0] == '0')) {
    return std::nullopt;
  }
  return index;
}

}  // namespace

void append_token(std::string& pointer, std::string_view token) {
  pointer += '/';
  append_escaped(pointer, token);
}

void append_token(std::string& pointer, std::size_t index) {
  pointer += '/';
  pointer += std::to_string(index);
}

Result<std::vector<std::string>> split_pointer(std::string_view pointer) {
  std::vector<std::string> tokens;
  if (!pointer.empty() && pointer[0] != '/') {
    return util::fail(ErrorKind::invalid,
                      util::cat("\"", pointer, "\" is no JSON pointer: it must begin with /"));
  }
  for (std::string_view rest = pointer; !rest.empty();) {
    if (!unescape(next_token(rest), tokens.emplace_back())) {
      return util::fail(ErrorKind::invalid,
                        util::cat("\"", pointer, "\" is no JSON pointer: ~ must be ~0 or ~1"));
    }
  }
  return tokens;
}

std::string join_pointer(const std::vector<std::string>& tokens) {
  std::string pointer;
  for (const std::string& token : tokens) {
    append_token(pointer, token);
  }
  return pointer;
}

std::string dotted_path(std::string_view pointer) {
  std::string path;
  std::string token;
  for (std::string_view rest = pointer; rest.starts_with('/');) {
    const std::string_view raw = next_token(rest);
    if (!unescape(raw, token)) {
      token = raw;
    }
    if (to_index(token)) {
      path += '[' + token + ']';
    } else if (token.find_first_of(".[]/") != token.npos) {
      path += "[\"" + token + "\"]";
    } else {
      path += path.empty() ? token : '.' + token;
    }
  }
  return path;
}

const Json* find(const Json& root, std::string_view pointer) {
  const Json* node = &root;
  std::string token;
  while (!pointer.empty()) {
    if (pointer[0] != '/' || !unescape(next_token(pointer), token)) {
      return nullptr;
    }
    if (node->is_object()) {
      const auto found = node->find(token);
      if (found == node->end()) {
        return nullptr;
      }
      node = &*found;
    } else if (node->is_array()) {
      const auto index = to_index(token);
      if (!index || *index >= node->size()) {
        return nullptr;
      }
      node = &(*node)[*index];
    } else {
      return nullptr;
    }
  }
  return node;
}

Json* find(Json& root, std::string_view pointer) {
  return const_cast<Json*>(find(std::as_const(root), pointer));
}

const Json* find_path(const Json& root, std::initializer_list<std::string_view> keys) {
  const Json* node = &root;
  for (std::string_view key : keys) {
    // The map itself: nlohmann's iterators over it cost as much again as the search.
    const auto* object = node->get_ptr<const Json::object_t*>();
    const auto found = object != nullptr ? object->find(key) : Json::object_t::const_iterator();
    if (object == nullptr || found == object->end()) {
      return nullptr;
    }
    node = &found->second;
  }
  return node;
}

Json* find_path(Json& root, std::initializer_list<std::string_view> keys) {
  return const_cast<Json*>(find_path(std::as_const(root), keys));
}

std::string_view string_at(const Json& root, std::initializer_list<std::string_view> keys,
                           std::string_view fallback) {
  const Json* node = find_path(root, keys);
  return node != nullptr && node->is_string()
             ? std::string_view(node->get_ref<const std::string&>())
             : fallback;
}

const Json& array_at(const Json& root, std::initializer_list<std::string_view> keys) {
  static const Json none = Json::array();
  const Json* found = find_path(root, keys);
  return found != nullptr && found->is_array() ? *found : none;
}

const Json& object_at(const Json& root, std::initializer_list<std::string_view> keys) {
  static const Json none = Json::object();
  const Json* found = find_path(root, keys);
  return found != nullptr && found->is_object() ? *found : none;
}

double number_at(const Json& root, std::initializer_list<std::string_view> keys, double fallback) {
  const Json* found = find_path(root, keys);
  return found != nullptr && found->is_number() ? found->get<double>() : fallback;
}

std::vector<std::string> strings_at(const Json& root,
                                    std::initializer_list<std::string_view> keys) {
  std::vector<std::string> strings;
  for (const Json& each : array_at(root, keys)) {
    if (each.is_string()) {
      strings.push_back(each.get<std::string>());
    }
  }
  return strings;
}

std::int64_t int_at(const Json& root, std::initializer_list<std::string_view> keys,
                    std::int64_t fallback) {
  const Json* node = find_path(root, keys);
  return node != nullptr && node->is_number_integer() ? node->get<std::int64_t>() : fallback;
}

int count_at(const Json& root, std::initializer_list<std::string_view> keys, int least) {
  return static_cast<int>(std::clamp<std::int64_t>(int_at(root, keys, least), least, 1'000'000));
}

bool bool_at(const Json& root, std::initializer_list<std::string_view> keys, bool fallback) {
  const Json* node = find_path(root, keys);
  return node != nullptr && node->is_boolean() ? node->get<bool>() : fallback;
}

void set_path(Json& root, std::initializer_list<std::string_view> keys, Json value) {
  Json* node = &root;
  for (std::string_view key : keys) {
    if (!node->is_object()) {
      *node = Json::object();
    }
    node = &(*node)[std::string(key)];
  }
  *node = std::move(value);
}

bool erase_path(Json& root, std::initializer_list<std::string_view> keys) {
  if (keys.size() == 0) {
    return false;
  }
  Json* node = &root;
  const auto last = keys.end() - 1;
  for (auto key = keys.begin(); key != last; ++key) {
    node = find_path(*node, {*key});
    if (node == nullptr) {
      return false;
    }
  }
  return node->is_object() && node->erase(*last) > 0;
}

void change_strings(Json& value, const std::function<std::string(const std::string&)>& change) {
  if (value.is_string()) {
    value = change(value.get_ref<const std::string&>());
  } else if (value.is_structured()) {
    for (Json& each : value) {
      change_strings(each, change);
    }
  }
}

}  // namespace kubist::data
