#pragma once
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/engine/policy.hpp>

namespace kubist::executors {

/// Built-in policies and those of PolicyDefinition and ClusterPolicyDefinition objects. A
/// definition that cannot be used stays in the catalog as broken: the nodes that name it say why.
class Catalog {
 public:
  Catalog();
  /// The definitions among `objects`; others are left out.
  engine::PolicyCatalog build(const std::vector<data::Json>& objects) const;

 private:
  std::shared_ptr<engine::PolicyRuntime> m_jsonnet;  ///< kept: it remembers results
};

}  // namespace kubist::executors
