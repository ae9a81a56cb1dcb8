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
      found.push_back(
          {data::dotted_path(child(pointer, i)), added ? Change::added : Change::removed});
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
  std::tie(from, to) = masked_pair(from, to);
  result.before = from.is_null() ? std::string{} : data::to_yaml(from);
  result.after = to.is_null() ? std::string{} : data::to_yaml(to);
  result.text = unified_diff(result.before, result.after, options.before_label, options.after_label,
                             options.context);
  return result;
}

std::string diff_name(const Json& object) {
  ObjectView view(object);
  std::string group = view.group().empty() ? std::string{} : cat(view.group(), '.');
  return cat(group, view.version(), '.', view.kind(), '.', view.ns(), '.', view.name());
}

}  // namespace kubist::resources
