// Values laid over others, and taken out of them, field by field.
#include <algorithm>

#include "field_path.hpp"

namespace kubist::testing {

using data::Json;

Json merge_fields(const Json& live, const Json& applied, const Shape& shape) {
  std::vector<std::string> keys;
  if (live.is_object() && applied.is_object() && !shape.atomic_map()) {
    Json merged = live;
    for (const auto& [key, value] : applied.items()) {
      merged[key] = live.contains(key) ? merge_fields(live[key], value, shape.child(key)) : value;
    }
    return merged;
  }
  if (live.is_array() && applied.is_array() &&
      merges(applied.empty() ? live : applied, shape, keys)) {
    Json merged = live;
    for (const Json& item : applied) {
      const std::string element = item_element(item, keys);
      const auto same = std::find_if(merged.begin(), merged.end(), [&](const Json& each) {
        return item_element(each, keys) == element;
      });
      if (same == merged.end()) {
        merged.push_back(item);
      } else if (!keys.empty()) {
        *same = merge_fields(*same, item, shape.item());
      }
    }
    return merged;
  }
  return applied;
}

namespace {

/// True: nothing is left of the value.
bool remove_below(Json& value, const Shape& shape, const FieldPath& path, const FieldSet& fields) {
  const auto first = fields.lower_bound(path);
  const bool concerned = first != fields.end() && first->size() >= path.size() &&
                         std::equal(path.begin(), path.end(), first->begin());
  if (!concerned) {
    return false;
  }
  std::vector<std::string> keys;
  if (value.is_object() && !value.empty() && !shape.atomic_map()) {
    for (auto it = value.begin(); it != value.end();) {
      it = remove_below(it.value(), shape.child(it.key()), with(path, field_element(it.key())),
                        fields)
               ? value.erase(it)
               : std::next(it);
    }
    return value.empty() && !path.empty();
  }
  if (value.is_array() && merges(value, shape, keys)) {
    for (auto it = value.begin(); it != value.end();) {
      const FieldPath next = with(path, item_element(*it, keys));
      const bool gone =
          keys.empty() ? fields.contains(next) : remove_below(*it, shape.item(), next, fields);
      it = gone ? value.erase(it) : std::next(it);
    }
    return value.empty();
  }
  return fields.contains(path);
}

}  // namespace

void remove_fields(Json& object, const FieldSet& fields, const Shape& shape) {
  remove_below(object, shape, {}, fields);
}

}  // namespace kubist::testing
