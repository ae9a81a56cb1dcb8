#include "field_walk.hpp"

#include <array>

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
    if (node.input->is_structured() && granular_elsewhere()) {
      return node.input->empty() || note(Verdict::changed, "was empty in the input");
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
    const Level next = level == Level::root && key == "metadata" ? Level::metadata : Level::inner;
    if (!walk_untraced(key, value, child(node.live, key), next)) {
      return false;
    }
  }
  return true;
}

/// What the input has and the set has not. Of a list with keys, or of a set of values, that is
/// empty, and of a map of nothing else, an apply leaves no trace (typed/tofieldset.go). Where
/// others own what is inside, applying an empty one changes nothing.
bool FieldWalk::walk_untraced(const std::string& key, const Json& input, const Json* live,
                              Level level) {
  static const Json k_none = Json::object();
  const bool absent = live == nullptr || live->is_null();
  const std::string field = "f:" + key;
  const std::size_t length = m_path.size();
  data::append_token(m_path, key);
  m_steps.push_back(field);
  const bool empty = input.is_structured() && input.empty();
  bool same = (input.is_null() && absent) ||
              (input.is_array() && empty && (absent || *live == input)) ||
              (empty && granular_elsewhere());
  if (input.is_object() && (level == Level::metadata || (!empty && !absent && live->is_object()))) {
    // What is in there has no trace either: its place, which decides how values compare, is of no
    // matter.
    same = walk_map({&k_none, &input, &input, live}, {}, level);
  }
  if (!same) {
    return note(Verdict::changed, "is new in the input");
  }
  m_steps.pop_back();
  m_path.resize(length);
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
