#pragma once
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/engine/policy.hpp>
#include <kubist/executors/local_config.hpp>
#include <kubist/resources/served.hpp>

namespace kubist::executors {

/// Reason of the error of a definition whose program is not in the local configuration.
inline constexpr std::string_view k_program_not_here = "ProgramNotHere";

/// The kinds of kubist's own whose executor an ExecutorDefinition may be: those whose objects live
/// in a virtual cluster.
inline constexpr std::array<std::string_view, 4> k_function_kinds{
    "Destination", "EntryGateway", "ExternalService", "TrafficRoute"};

/// What an ExecutorDefinition says.
struct ExecutorFunction {
  std::shared_ptr<const engine::PolicyDefinition> definition;
  std::vector<std::string> kinds;           ///< that may name it
  std::vector<std::string> cluster_scoped;  ///< kinds that it may return, as Kind or Kind.group
  std::vector<std::string> namespaces;      ///< patterns, besides the target namespace
  std::optional<resources::ServedKind> serves;
};

/// Built-in policies and those of PolicyDefinition and ClusterPolicyDefinition objects. A
/// definition that cannot be used stays in the catalog as broken: the nodes that name it say why.
/// Jsonnet runs for all kinds; exec for those of administrators whose program is in the config;
/// images for those of administrators, where `containers` can run them (null: answers say that
/// there is no cluster).
class Catalog {
 public:
  using Runtime = std::shared_ptr<engine::PolicyRuntime>;

  explicit Catalog(LocalConfig config);
  /// The definitions among `objects`; others are left out.
  engine::PolicyCatalog build(const std::vector<data::Json>& objects,
                              const Runtime& containers = nullptr) const;

  /// The ExecutorDefinitions among `objects` by name: what they say, or why they cannot be used.
  /// Those with the name of a built-in executor that cannot be replaced are left out.
  std::map<std::string, util::Result<ExecutorFunction>> executors(
      const std::vector<data::Json>& objects, const Runtime& containers = nullptr) const;

 private:
  util::Result<ExecutorFunction> read_executor(const data::Json& object,
                                               const Runtime& containers) const;
  util::Result<std::shared_ptr<const engine::PolicyDefinition>> read(
      const data::Json& object, const Runtime& containers) const;

  LocalConfig m_config;
  Runtime m_jsonnet;  ///< kept: it remembers results
  Runtime m_exec;
  Runtime m_no_containers;
};

}  // namespace kubist::executors
