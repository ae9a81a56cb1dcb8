#include "field_walk.hpp"

#include <array>
#include <vector>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/secret_mask.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

namespace kubist::apply {
namespace {

using data::Json;

const Json* child(const Json* object, std::string_view key) {
  if (object == nullptr || !object->is_object()) {
    return nullptr;
  }
  const auto found = object->find(key);
  return found == object->end() ? nullptr : &*found;
}

/// Does a list element have the values of a "k:" key? A key field that the input leaves out is one
/// that the schema defaults.
bool has_key(const Json& element, const Json& key, bool exact) {
  if (!element.is_object()) {
    return false;
  }
  for (const auto& [name, value] : key.items()) {
    const auto found = element.find(name);
    if (found == element.end() ? exact : *found != value) {
      return false;
    }
  }
  return true;
}

bool selects(const std::string& field, const Json& key, const Json& element, bool exact) {
  return field[0] == 'v' ? element == key : has_key(element, key, exact);
}

}  // namespace

/// False ends the walk: nothing can make a changed object unchanged again.
bool FieldWalk::note(Verdict verdict, std::string_view what) {
  if (verdict == Verdict::unchanged || m_result.verdict == Verdict::changed) {
    return m_result.verdict != Verdict::changed;
  }
  if (verdict == Verdict::changed || m_result.verdict == Verdict::unchanged) {
    m_result = {verdict, util::cat(data::dotted_path(m_path), ' ', what)};
  }
  return verdict != Verdict::changed;
}

bool FieldWalk::ignored(std::string_view key, Level level) const {
  // What the server leaves out of every set: apimachinery pkg/util/managedfields stripmeta.go.
  static constexpr std::array<std::string_view, 8> k_stripped{
      "name", "namespace",  "creationTimestamp", "selfLink",
      "uid",  "generation", "managedFields",     "resourceVersion"};
  if (level == Level::root) {
    return key == "apiVersion" || key == "kind" || (m_options.has_status && key == "status");
  }
  if (level == Level::metadata) {
    for (const std::string_view stripped : k_stripped) {
      if (key == stripped) {
        return true;
      }
    }
  }
  return false;
}

/// A leaf of a set is either a whole value or an empty container whose fields belong to others;
/// then their sets have more below it.
bool FieldWalk::granular_elsewhere() const {
  for (const Json& entry : *m_entries) {
    const Json* fields = child(&entry, "fieldsV1");
    for (const std::string_view step : m_steps) {
      fields = child(fields, step);
    }
    if (fields != nullptr && !fields->empty()) {
      return true;
    }
  }
  return false;
}

Comparison FieldWalk::run(const Json& fields, const Json& input, const Json& full,
                          const Json& live) {
  static const Json k_none = Json::array();
  m_secret = resources::is_secret(input);
  const Json* entries = data::find_path(live, {"metadata", "managedFields"});
  m_entries = entries != nullptr ? entries : &k_none;
  walk_map({&fields, &input, &full, &live}, {.built_in = m_options.built_in}, Level::root);
  return m_result;
}

bool FieldWalk::walk(const Node& node, std::string_view key, ValuePlace place, Level level) {
  if (level == Level::metadata) {
    return walk_map(node, place, level);
  }
  if (node.fields->empty()) {
    if (node.input->is_structured() && !node.input->empty() && granular_elsewhere()) {
      return note(Verdict::changed, "was empty in the input");
    }
    const Json& whole = node.full != nullptr ? *node.full : *node.input;
    return note(same_value(whole, node.live, key, place), "differs");
  }
  if (node.input->is_object()) {
    return walk_map(node, place, level);
  }
  if (node.input->is_array()) {
    return walk_list(node, key, place);
  }
  return note(Verdict::changed, "differs");
}

bool FieldWalk::walk_map(const Node& node, ValuePlace place, Level level) {
  for (const auto& [field, inner] : node.fields->items()) {
    if (field == "." || !field.starts_with("f:")) {
      if (field != ".") {
        return note(Verdict::changed, "was a list");
      }
      continue;
    }
    const std::string_view key = std::string_view(field).substr(2);
    if (ignored(key, level)) {
      continue;
    }
    const std::size_t length = m_path.size();
    data::append_token(m_path, key);
    m_steps.push_back(field);
    const Json* value = child(node.input, key);
    const Json* live = child(node.live, key);
    if (value == nullptr) {
      return note(Verdict::changed, "is no longer in the input");
    }
    const Level next = level == Level::root && key == "metadata" ? Level::metadata : Level::inner;
    bool go_on = true;
    if (level == Level::root && m_secret && key == "stringData") {
      go_on = walk_string_data(inner, *value, *node.live);
    } else if (!(value->is_null() && (live == nullptr || live->is_null()))) {
      ValuePlace inside = below(place, key);
      inside.base64 = place.base64 || (level == Level::root && m_secret && key == "data");
      const Json* full = child(node.full, key);
      go_on = walk({&inner, value, full != nullptr ? full : value, live}, key, inside, next);
    }
    if (!go_on) {
      return false;
    }
    m_steps.pop_back();
    m_path.resize(length);
  }
  for (const auto& [key, value] : node.input->items()) {
    if (ignored(key, level) || node.fields->contains("f:" + key)) {
      continue;
    }
    const Json* live = child(node.live, key);
    const bool absent = live == nullptr || live->is_null();
    if (level == Level::root && key == "metadata") {
      const std::size_t length = m_path.size();
      data::append_token(m_path, key);
      static const Json k_none = Json::object();
      if (!walk_map({&k_none, &value, &value, live}, place, Level::metadata)) {
        return false;
      }
      m_path.resize(length);
    } else if (!(value.is_null() && absent)) {
      data::append_token(m_path, key);
      return note(Verdict::changed, "is new in the input");
    }
  }
  return true;
}

bool FieldWalk::walk_list(const Node& node, std::string_view key, ValuePlace place) {
  const Json& input = *node.input;
  std::vector<bool> matched(input.size(), false);
  std::vector<std::size_t> live_index(input.size(), 0);
  std::size_t owned = 0;
  for (const auto& [field, inner] : node.fields->items()) {
    if (field == ".") {
      continue;
    }
    if (!field.starts_with("k:") && !field.starts_with("v:")) {
      return note(Verdict::doubtful, "is a list owned by index");
    }
    ++owned;
    const Json selector = Json::parse(std::string_view(field).substr(2), nullptr, false);
    std::size_t at = 0;
    while (at < input.size() && (matched[at] || !selects(field, selector, input[at], false))) {
      ++at;
    }
    if (at == input.size()) {
      return note(Verdict::changed, "has fewer elements");
    }
    matched[at] = true;
    const Json* live = nullptr;
    for (std::size_t i = 0; node.live != nullptr && node.live->is_array() && i < node.live->size();
         ++i) {
      if (selects(field, selector, (*node.live)[i], true)) {
        live = &(*node.live)[i];
        live_index[at] = i;
        break;
      }
    }
    if (live == nullptr) {
      return note(Verdict::changed, "lost an element");
    }
    const std::size_t length = m_path.size();
    data::append_token(m_path, at);
    m_steps.push_back(field);
    const Json* full = node.full != nullptr && node.full->is_array() && at < node.full->size()
                           ? &(*node.full)[at]
                           : nullptr;
    if (!walk({&inner, &input[at], full, live}, key, place, Level::inner)) {
      return false;
    }
    m_steps.pop_back();
    m_path.resize(length);
  }
  if (owned != input.size()) {
    return note(Verdict::changed, "has more elements");
  }
  for (std::size_t i = 1; i < live_index.size(); ++i) {
    if (live_index[i] < live_index[i - 1]) {
      return note(Verdict::changed, "has another order");
    }
  }
  return true;
}

/// stringData is never read back: the set keeps its keys, the values are in data.
bool FieldWalk::walk_string_data(const Json& fields, const Json& input, const Json& live) {
  if (!input.is_object()) {
    return note(Verdict::changed, "differs");
  }
  for (const auto& [field, inner] : fields.items()) {
    if (field != "." && !input.contains(field.substr(2))) {
      return note(Verdict::changed, "has fewer keys");
    }
  }
  const Json* data = child(&live, "data");
  for (const auto& [key, value] : input.items()) {
    const Json* stored = child(data, key);
    if (!fields.contains("f:" + key) || !value.is_string() || stored == nullptr ||
        *stored != util::base64_encode(value.get_ref<const std::string&>())) {
      data::append_token(m_path, key);
      return note(Verdict::changed, "differs");
    }
  }
  return true;
}

}  // namespace kubist::apply
