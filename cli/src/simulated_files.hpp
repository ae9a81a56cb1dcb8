#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kubist/cli/context.hpp>
#include <kubist/data/json.hpp>

namespace kubist::cli {

/// What a simulation needs of the objects of -f.
struct SimulatedFiles {
  std::optional<data::Json> release;
  std::vector<data::Json> definitions;
  std::vector<data::Json> routes;                        ///< of the release
  std::vector<std::shared_ptr<const data::Json>> above;  ///< Projects and Roots
};

/// Nothing where there is no -f. Usage, invalid: there are several releases and none is named, or
/// none although no --policy is given; and every problem of the files.
util::Result<SimulatedFiles> read_simulated_files(Context& context, const Arguments& arguments);

/// --namespace, or default.
std::string simulated_namespace(const Arguments& arguments);

}  // namespace kubist::cli
