#pragma once
#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/engine/policy.hpp>
#include <kubist/executors/executor_function.hpp>
#include <kubist/executors/local_config.hpp>

namespace kubist::executors {

/// Reason of the error of a definition whose program is not in the local configuration.
inline constexpr std::string_view k_program_not_here = "ProgramNotHere";

/// The kinds of kubist's own whose built-in executor an ExecutorDefinition of that name replaces,
/// and which share the list of objects with it: those whose objects live in a virtual cluster.
inline constexpr std::array<std::string_view, 4> k_function_kinds{
    "Destination", "EntryGateway", "ExternalService", "TrafficRoute"};

bool is_function_kind(std::string_view kind);

/// The kinds of kubist's own that may name an ExecutorDefinition: all but DeployItem, whose
/// executors are deployers.
std::vector<std::string> definable_kinds();

/// Built-in policies and those of PolicyDefinition and ClusterPolicyDefinition objects. A
/// definition that cannot be used stays in the catalog as broken: the nodes that name it say why.
/// Jsonnet runs for all kinds; exec for those of administrators whose program is in the config;
/// images for those of administrators, where `containers` can run them (null: answers say that
/// there is no cluster). Any thread may ask it, several at once.
class Catalog {
 public:
  using Runtime = std::shared_ptr<engine::PolicyRuntime>;

  explicit Catalog(LocalConfig config);
  /// The definitions among `objects`; others are left out.
  engine::PolicyCatalog build(const std::vector<data::Json>& objects,
                              const Runtime& containers = nullptr) const;

  /// The functions of the ExecutorDefinitions among `objects`, to be found and run like policies.
  engine::PolicyCatalog functions(const std::vector<data::Json>& objects) const;

  /// The ExecutorDefinitions among `objects` by name: what they say, or why they cannot be used.
  /// Those with the name of a built-in executor that cannot be replaced are left out.
  std::map<std::string, util::Result<ExecutorFunction>, std::less<>> executors(
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
