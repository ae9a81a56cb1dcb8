#pragma once
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/engine/policy.hpp>
#include <kubist/executors/local_config.hpp>

namespace kubist::executors {

/// Reason of the error of a definition whose program is not in the local configuration.
inline constexpr std::string_view k_program_not_here = "ProgramNotHere";

/// Built-in policies and those of PolicyDefinition and ClusterPolicyDefinition objects. A
/// definition that cannot be used stays in the catalog as broken: the nodes that name it say why.
/// Jsonnet runs for both kinds; exec for a ClusterPolicyDefinition whose program is in the config.
class Catalog {
 public:
  explicit Catalog(LocalConfig config);
  /// The definitions among `objects`; others are left out.
  engine::PolicyCatalog build(const std::vector<data::Json>& objects) const;

 private:
  util::Result<std::shared_ptr<const engine::PolicyDefinition>> read(
      const data::Json& object) const;

  LocalConfig m_config;
  std::shared_ptr<engine::PolicyRuntime> m_jsonnet;  ///< kept: it remembers results
  std::shared_ptr<engine::PolicyRuntime> m_exec;
};

}  // namespace kubist::executors
