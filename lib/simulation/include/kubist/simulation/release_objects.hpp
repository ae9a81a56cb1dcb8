#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/resources/manifest.hpp>
#include <kubist/util/result.hpp>

namespace kubist::simulation {

/// What a simulation needs of the objects beside a release.
struct ReleaseObjects {
  std::optional<data::Json> release;                     ///< without its status
  std::vector<data::Json> definitions;                   ///< of policies
  std::vector<data::Json> routes;                        ///< of the release
  std::vector<std::shared_ptr<const data::Json>> above;  ///< Projects and Roots
};

/// Picks them from manifests, whose objects are in `ns` where they name no namespace. `name`: that
/// of the CanaryRelease; empty: there is one at most. Usage: there are several.
util::Result<ReleaseObjects> pick_objects(std::vector<resources::Manifest> manifests,
                                          const std::string& ns, const std::string& name);

}  // namespace kubist::simulation
