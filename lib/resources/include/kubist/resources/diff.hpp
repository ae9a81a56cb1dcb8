#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>

namespace kubist::resources {

/// A unified diff ("--- a\n+++ b\n@@ ...") of two texts by lines, as `diff -u -N` prints it; empty
/// when they are equal. Myers' O(ND) algorithm: a shortest script where
/// places that differ are at most about a thousand lines each.
std::string unified_diff(std::string_view before, std::string_view after,
                         std::string_view before_label, std::string_view after_label,
                         std::size_t context = 3);

/// One place where two objects differ.
struct ChangedPath {
  std::string path;  ///< "spec.containers[0].image", keys with dots as ["a.b"]
  enum class Change { added, removed, replaced } change = Change::replaced;
  bool operator==(const ChangedPath&) const = default;
};

/// Every leaf (or whole added or removed value) that differs, in key order.
std::vector<ChangedPath> changed_paths(const data::Json& before, const data::Json& after);

/// How two states of one object differ, for people and for programs.
struct ObjectDiff {
  std::string text;                ///< unified diff of the YAML; empty when nothing differs
  std::vector<ChangedPath> paths;  ///< empty exactly when the objects are equal
  std::string before, after;       ///< the YAML that was compared; both empty when nothing differs
};

/// How diff_objects() prints it.
struct DiffOptions {
  std::string before_label;  ///< kubectl: LIVE/apps.v1.Deployment.ns.name
  std::string after_label;   ///< kubectl: MERGED/...
  bool show_managed_fields = false;
  std::size_t context = 3;
};

/// Compares two states of one object (null: absent) as `kubectl diff` does: YAML without
/// managedFields, Secret values as `***`, changed ones as `*** (before)` and `*** (after)`.
ObjectDiff diff_objects(const data::Json& before, const data::Json& after,
                        const DiffOptions& options);

/// "apps.v1.Deployment.default.web": the file name under which kubectl diff prints an object.
std::string diff_name(const data::Json& object);

}  // namespace kubist::resources
