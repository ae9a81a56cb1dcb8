#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

/// What the namespace of a Project or VirtualCluster is to be.
namespace kubist::executors {

/// A namespace that a Project or VirtualCluster keeps.
struct NamespaceWish {
  std::string name;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
  std::vector<std::string> unwanted_labels;  ///< removed, whoever set them
  std::vector<std::string> kept_labels;      ///< stay as they are, also those that kubist once set
  bool create = true;
  bool adopt = false;
  bool delete_adopted = true;  ///< where deletionPolicy asks for it; else that is refused
  /// Asked before anything is written to a namespace that kubist did not make; empty: it may be.
  std::function<util::Result<>()> check_adoption = {};
};

/// spec.labels or spec.annotations; empty for null.
std::map<std::string, std::string> string_map(const data::Json* map);

/// The namespace of a Project, from the object and its spec after policies.
NamespaceWish project_wish(const data::Json& project, const data::Json& spec);

/// The Namespace to apply for a wish; `mark` names its owner.
data::Json namespace_object(const NamespaceWish& wish, const std::string& mark);

}  // namespace kubist::executors
