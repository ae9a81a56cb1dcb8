#pragma once
#include <string>
#include <vector>

#include <kubist/deployers/world.hpp>

namespace kubist::deployers {

/// Something that a deployer would refuse, found without any request.
struct ConfigProblem {
  std::string pointer;  ///< into the object: "/spec/items/2"
  util::Error error;
};
/// What deployers have against a DeployItem, or against the items of an Execution, besides what
/// its schema and rules say. Nothing for other kinds, for types of others, and where an Execution
/// cannot be rendered (resources::item_problems). Parts of Templates items are not looked at, nor
/// items whose type is not kubist.io/...: they are valid as landscaper has them, whatever kubist
/// can run.
std::vector<ConfigProblem> config_problems(const data::Json& object, const Settings& settings);

}  // namespace kubist::deployers
