#include "fields.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

namespace kubist::testing {

using data::Json;
using util::cat;

namespace {

std::string field(std::string_view key) { return cat("f:", key); }

/// `k:{...}` or `v:...` of an item of a merged list.
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

/// `whole`: every node on the way, as a comparison names what is new; else as an apply names it.
void collect(const Json& value, const Shape& shape, const FieldPath& path, bool whole,
             FieldSet& set) {
  std::vector<std::string> keys;
  if (value.is_object() && !value.empty() && !shape.atomic_map()) {
    for (const auto& [key, below] : value.items()) {
      const FieldPath next = with(path, field(key));
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
                    with(path, field(key)), changes);
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

FieldSet minus(const FieldSet& all, const FieldSet& gone) {
  FieldSet left;
  std::set_difference(all.begin(), all.end(), gone.begin(), gone.end(),
                      std::inserter(left, left.end()));
  return left;
}

bool is_entry_of(const Json& entry, const FieldWriter& writer) {
  return data::string_at(entry, {"manager"}) == writer.manager &&
         data::string_at(entry, {"operation"}) == writer.operation &&
         data::string_at(entry, {"subresource"}) == writer.subresource;
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
      it = remove_below(it.value(), shape.child(it.key()), with(path, field(it.key())), fields)
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

FieldSet last_applied(const Json& live, const FieldWriter& writer) {
  for (const Json& entry : data::array_at(live, {"metadata", "managedFields"})) {
    if (is_entry_of(entry, writer)) {
      return from_fields_v1(entry.at("fieldsV1"));
    }
  }
  return {};
}

bool owned_by_other(const Json& live, const FieldWriter& writer, const FieldPath& path) {
  const Json& entries = data::array_at(live, {"metadata", "managedFields"});
  return std::any_of(entries.begin(), entries.end(), [&](const Json& entry) {
    return !is_entry_of(entry, writer) && from_fields_v1(entry.at("fieldsV1")).contains(path);
  });
}

std::vector<OwnedField> own_fields(const Json& before, Json& after, const FieldWriter& writer,
                                   const std::optional<FieldSet>& applied, bool force,
                                   const Shape& shape, const std::string& now) {
  const FieldChanges changes = compare_fields(before, after, shape);
  FieldSet written = changes.added;
  written.insert(changes.modified.begin(), changes.modified.end());
  std::vector<OwnedField> conflicts;
  Json entries = Json::array();
  FieldSet own;
  Json own_entry{{"manager", writer.manager},
                 {"operation", writer.operation},
                 {"apiVersion", writer.api_version},
                 {"fieldsType", "FieldsV1"},
                 {"time", now}};
  if (!writer.subresource.empty()) {
    own_entry["subresource"] = writer.subresource;
  }
  for (Json entry : data::array_at(before, {"metadata", "managedFields"})) {
    FieldSet fields = from_fields_v1(entry.at("fieldsV1"));
    if (is_entry_of(entry, writer)) {
      own = std::move(fields);
      own_entry["time"] = entry.at("time");
      continue;
    }
    for (const FieldPath& path : fields) {
      if (written.contains(path)) {
        conflicts.push_back({entry, path});
      }
    }
    const FieldSet left = minus(minus(fields, written), changes.removed);
    if (left != fields) {
      entry["fieldsV1"] = to_fields_v1(left);
    }
    if (!left.empty()) {
      entries.push_back(std::move(entry));
    }
  }
  if (!force && !conflicts.empty()) {
    return conflicts;
  }
  FieldSet owns = own;
  if (applied) {
    owns = *applied;
  } else {
    owns.insert(written.begin(), written.end());
    owns = minus(owns, changes.removed);
  }
  if (owns != own) {
    own_entry["time"] = now;
  }
  if (!owns.empty()) {
    own_entry["fieldsV1"] = to_fields_v1(owns);
    entries.push_back(std::move(own_entry));
  }
  // Appliers first, as the server sorts them, so that an unchanged object stays so to the byte.
  std::stable_sort(entries.begin(), entries.end(), [](const Json& a, const Json& b) {
    const auto key = [](const Json& entry) {
      return std::tuple(data::string_at(entry, {"operation"}), data::string_at(entry, {"manager"}),
                        data::string_at(entry, {"subresource"}));
    };
    return key(a) < key(b);
  });
  after["metadata"].erase("managedFields");
  if (!entries.empty()) {
    after["metadata"]["managedFields"] = std::move(entries);
  }
  return {};
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

}  // namespace kubist::testing
