#include "fields.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "field_path.hpp"

namespace kubist::testing {

using data::Json;
using util::cat;

std::string field_element(std::string_view key) { return cat("f:", key); }

std::string item_element(const Json& item, const std::vector<std::string>& keys) {
  if (keys.empty()) {
    return cat("v:", item.dump());
  }
  Json named = Json::object();
  for (const std::string& key : keys) {
    if (item.is_object() && item.contains(key)) {
      named[key] = item[key];
    } else if (key == "protocol") {
      named[key] = "TCP";
    }
  }
  return cat("k:", named.dump());
}

bool merges(const Json& list, const Shape& shape, std::vector<std::string>& keys) {
  keys = shape.keys(list);
  return !keys.empty() || shape.set();
}

FieldPath with(FieldPath path, std::string element) {
  path.push_back(std::move(element));
  return path;
}

std::string to_string(const FieldPath& path) {
  std::string text;
  for (const std::string& element : path) {
    const std::string_view rest = std::string_view(element).substr(2);
    if (element.starts_with("f:")) {
      text += cat('.', rest);
    } else if (element.starts_with("v:")) {
      text += cat("[=", rest, ']');
    } else {
      const Json keys = Json::parse(rest);
      std::vector<std::string> pieces;
      for (const auto& [key, value] : keys.items()) {
        pieces.push_back(cat(key, '=', value.dump()));
      }
      text += cat('[', util::join(pieces, ","), ']');
    }
  }
  return text;
}

namespace {

/// `whole`: every node on the way, as a comparison names what is new; else as an apply names it.
void collect(const Json& value, const Shape& shape, const FieldPath& path, bool whole,
             FieldSet& set) {
  std::vector<std::string> keys;
  if (value.is_object() && !value.empty() && !shape.atomic_map()) {
    for (const auto& [key, below] : value.items()) {
      const FieldPath next = with(path, field_element(key));
      collect(below, shape.child(key), next, whole, set);
      if (whole || shape.has_own_keys(key)) {
        set.insert(next);
      }
    }
  } else if (value.is_array() && merges(value, shape, keys)) {
    for (const Json& item : value) {
      const FieldPath next = with(path, item_element(item, keys));
      set.insert(next);
      if (!keys.empty()) {
        collect(item, shape.item(), next, whole, set);
      }
    }
  } else if (!path.empty()) {
    set.insert(path);
  }
}

/// All below and including that place.
void collect_all(const Json& value, const Shape& shape, const FieldPath& path, FieldSet& set) {
  set.insert(path);
  collect(value, shape, path, true, set);
}

const Json* item_of(const Json& list, const std::vector<std::string>& keys,
                    const std::string& element) {
  for (const Json& item : list) {
    if (item_element(item, keys) == element) {
      return &item;
    }
  }
  return nullptr;
}

void compare(const Json& before, const Json& after, const Shape& shape, const FieldPath& path,
             FieldChanges& changes);

void compare_child(const Json* before, const Json* after, const Shape& shape, const FieldPath& path,
                   FieldChanges& changes) {
  if (before == nullptr) {
    collect_all(*after, shape, path, changes.added);
  } else if (after == nullptr) {
    collect_all(*before, shape, path, changes.removed);
  } else {
    compare(*before, *after, shape, path, changes);
  }
}

void compare(const Json& before, const Json& after, const Shape& shape, const FieldPath& path,
             FieldChanges& changes) {
  std::vector<std::string> keys;
  if (before == after) {
    return;
  }
  if (before.is_object() && after.is_object() && !shape.atomic_map()) {
    Json all = before;
    all.update(after);
    for (const auto& [key, value] : all.items()) {
      compare_child(data::find_path(before, {key}), data::find_path(after, {key}), shape.child(key),
                    with(path, field_element(key)), changes);
    }
  } else if (before.is_array() && after.is_array() &&
             merges(after.empty() ? before : after, shape, keys)) {
    std::set<std::string> elements;
    for (const Json* list : {&before, &after}) {
      for (const Json& item : *list) {
        elements.insert(item_element(item, keys));
      }
    }
    for (const std::string& element : elements) {
      compare_child(item_of(before, keys, element), item_of(after, keys, element), shape.item(),
                    with(path, element), changes);
    }
  } else {
    changes.modified.insert(path);
  }
}

/// These stand for the object, not for somebody's wish.
bool is_own_to_server(const FieldPath& path) {
  static const std::set<std::string> metadata{"f:name",
                                              "f:namespace",
                                              "f:uid",
                                              "f:creationTimestamp",
                                              "f:generation",
                                              "f:managedFields",
                                              "f:resourceVersion",
                                              "f:deletionTimestamp",
                                              "f:deletionGracePeriodSeconds",
                                              "f:selfLink"};
  return path.empty() || path[0] == "f:apiVersion" || path[0] == "f:kind" ||
         (path[0] == "f:metadata" && (path.size() == 1 || metadata.contains(path[1])));
}

}  // namespace

FieldSet fields_of(const Json& object, const Shape& shape) {
  FieldSet set;
  collect(object, shape, {}, false, set);
  std::erase_if(set, is_own_to_server);
  return set;
}

Json to_fields_v1(const FieldSet& fields) {
  Json trie = Json::object();
  for (const FieldPath& path : fields) {
    Json* place = &trie;
    for (const std::string& element : path) {
      place = &(*place)[element];
      if (place->is_null()) {
        *place = Json::object();
      }
    }
  }
  // What is named itself, and not only on the way to something else, says so.
  for (const FieldPath& path : fields) {
    Json* place = &trie;
    for (const std::string& element : path) {
      place = &(*place)[element];
    }
    if (!place->empty()) {
      (*place)["."] = Json::object();
    }
  }
  return trie;
}

namespace {
void read_trie(const Json& trie, const FieldPath& path, FieldSet& set) {
  if (trie.empty() && !path.empty()) {
    set.insert(path);
  }
  for (const auto& [element, below] : trie.items()) {
    if (element == ".") {
      set.insert(path);
    } else {
      read_trie(below, with(path, element), set);
    }
  }
}
}  // namespace

FieldSet from_fields_v1(const Json& trie) {
  FieldSet set;
  read_trie(trie, {}, set);
  return set;
}

FieldChanges compare_fields(const Json& before, const Json& after, const Shape& shape) {
  FieldChanges changes;
  compare(before, after, shape, {}, changes);
  for (FieldSet* set : {&changes.added, &changes.modified, &changes.removed}) {
    std::erase_if(*set, is_own_to_server);
  }
  return changes;
}

}  // namespace kubist::testing
