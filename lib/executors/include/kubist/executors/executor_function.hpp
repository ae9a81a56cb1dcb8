#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kubist/engine/policy.hpp>
#include <kubist/resources/served.hpp>

namespace kubist::executors {

/// What an ExecutorDefinition says.
struct ExecutorFunction {
  std::shared_ptr<const engine::PolicyDefinition> definition;
  std::vector<std::string> kinds;           ///< that may name it
  std::vector<std::string> cluster_scoped;  ///< kinds that it may return, as Kind or Kind.group
  std::vector<std::string> namespaces;      ///< patterns, besides the target namespace
  std::optional<resources::ServedKind> serves;
  std::string wraps;    ///< the kind beside whose built-in executor it runs; empty: it runs instead
  bool before = false;  ///< of one that wraps: it runs first
  std::string account;  ///< ServiceAccount of kubist-system, as which a Root's objects are handled
};

}  // namespace kubist::executors
