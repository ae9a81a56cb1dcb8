#pragma once
#include <memory>
#include <string>
#include <vector>

#include <kubist/engine/policy.hpp>

namespace kubist::policies {

/// One built-in policy: a pure function over the ResourceList, with its parameters' schema.
struct Builtin {
  std::shared_ptr<const engine::PolicyDefinition> definition;
  std::vector<std::string> aliases;  ///< other names that are taken, any case
};

}  // namespace kubist::policies
