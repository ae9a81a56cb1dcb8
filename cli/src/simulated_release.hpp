#pragma once
#include <memory>
#include <string>

#include <kubist/cli/context.hpp>
#include <kubist/simulation/outcome.hpp>

namespace kubist::cli {

/// What `canary simulate` simulates without --test.
struct SimulatedInput {
  simulation::ReleaseSimulation simulation;
  std::unique_ptr<engine::PolicyCatalog> catalog;  ///< simulation's
  simulation::Bounds bounds;
};

/// After how many the canary is given up: --evaluations, or --looks, which it was called first.
long long evaluations_of(const Arguments& arguments);

/// From the flags, and the files of -f and --recorded. Errors: usage (flags that exclude each
/// other), and every problem of the files.
util::Result<SimulatedInput> read_simulated_release(Context& context, const Arguments& arguments);

/// The PromQL whose recording --recorded takes for the release of -f.
util::Result<std::string> recording_query(Context& context, const Arguments& arguments);

}  // namespace kubist::cli
