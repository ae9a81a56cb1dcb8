#include <kubist/data/pointer.hpp>
#include <kubist/data/yaml_writer.hpp>
#include <kubist/resources/diff.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/resources/secret_mask.hpp>
#include <kubist/util/text.hpp>

namespace kubist::resources {

using data::Json;
using util::cat;
using Change = ChangedPath::Change;

namespace {

std::string child(const std::string& pointer, std::string_view key) {
  std::string path = pointer;
  data::append_token(path, key);
  return path;
}

std::string child(const std::string& pointer, std::size_t index) {
  std::string path = pointer;
  data::append_token(path, index);
  return path;
}

void collect(const Json& before, const Json& after, const std::string& pointer,
             std::vector<ChangedPath>& found) {
  if (before == after) {
    return;
  }
  if (before.is_object() && after.is_object()) {
    for (const auto& [key, value] : before.items()) {
      auto other = after.find(key);
      if (other == after.end()) {
        found.push_back({data::dotted_path(child(pointer, key)), Change::removed});
      } else {
        collect(value, *other, child(pointer, key), found);
      }
    }
    for (const auto& [key, value] : after.items()) {
      if (!before.contains(key)) {
        found.push_back({data::dotted_path(child(pointer, key)), Change::added});
      }
    }
    return;
  }
  if (before.is_array() && after.is_array()) {
    std::size_t both = std::min(before.size(), after.size());
    for (std::size_t i = 0; i < both; ++i) {
      collect(before[i], after[i], child(pointer, i), found);
    }
    for (std::size_t i = both; i < std::max(before.size(), after.size()); ++i) {
      bool added = i < after.size();
      found.push_back({data::dotted_path(child(pointer, i)), added ? Change::added : Change::removed});
    }
    return;
  }
  found.push_back({data::dotted_path(pointer), Change::replaced});
}

Json without_managed_fields(const Json& object) {
  Json copy = object;
  data::erase_path(copy, {"metadata", "managedFields"});
  return copy;
}

/// Walks what the input names. `last` and `live` null: absent there.
void drift(const Json* last, const Json& desired, const Json* live, const std::string& pointer,
           std::vector<FieldDrift>& found) {
  if (desired.is_object() && live != nullptr && live->is_object()) {
    for (const auto& [key, value] : desired.items()) {
      drift(last == nullptr ? nullptr : data::find_path(*last, {key}), value,
            data::find_path(*live, {key}), child(pointer, key), found);
    }
    return;
  }
  if (desired.is_array() && live != nullptr && live->is_array() && desired.size() == live->size()) {
    bool comparable = last != nullptr && last->is_array() && last->size() == desired.size();
    for (std::size_t i = 0; i < desired.size(); ++i) {
      drift(comparable ? &(*last)[i] : nullptr, desired[i], &(*live)[i], child(pointer, i), found);
    }
    return;
  }
  if (live != nullptr && desired == *live) {
    return;
  }
  bool input_changed = last == nullptr || *last != desired;
  found.push_back({data::dotted_path(pointer),
                   input_changed ? FieldDrift::Kind::wanted : FieldDrift::Kind::drifted});
}

/// Walks what the last input named and this one does not.
void removals(const Json& last, const Json& desired, const Json& live, const std::string& pointer,
              std::vector<FieldDrift>& found) {
  if (!last.is_object() || !desired.is_object() || !live.is_object()) {
    return;
  }
  for (const auto& [key, value] : last.items()) {
    auto present = live.find(key);
    if (present == live.end()) {
      continue;
    }
    auto wanted = desired.find(key);
    if (wanted == desired.end()) {
      found.push_back({data::dotted_path(child(pointer, key)), FieldDrift::Kind::removed});
    } else {
      removals(value, *wanted, *present, child(pointer, key), found);
    }
  }
}

}  // namespace

std::vector<ChangedPath> changed_paths(const Json& before, const Json& after) {
  std::vector<ChangedPath> found;
  collect(before, after, "", found);
  return found;
}

ObjectDiff diff_objects(const Json& before, const Json& after, const DiffOptions& options) {
  Json from = options.show_managed_fields ? before : without_managed_fields(before);
  Json to = options.show_managed_fields ? after : without_managed_fields(after);
  ObjectDiff result;
  result.paths = changed_paths(from, to);
  if (result.paths.empty()) {
    return result;
  }
  if (is_secret(from) || is_secret(to)) {
    std::tie(from, to) = masked_pair(from, to);
  }
  std::string old_text = from.is_null() ? std::string{} : data::to_yaml(from);
  std::string new_text = to.is_null() ? std::string{} : data::to_yaml(to);
  result.text = unified_diff(old_text, new_text, options.before_label, options.after_label,
                             options.context);
  return result;
}

std::vector<FieldDrift> three_way(const Json& last, const Json& desired, const Json& live) {
  std::vector<FieldDrift> found;
  drift(last.is_null() ? nullptr : &last, desired, live.is_null() ? nullptr : &live, "", found);
  removals(last, desired, live, "", found);
  return found;
}

std::string diff_name(const Json& object) {
  ObjectView view(object);
  std::string group = view.group().empty() ? std::string{} : cat(view.group(), '.');
  return cat(group, view.version(), '.', view.kind(), '.', view.ns(), '.', view.name());
}

}  // namespace kubist::resources
