#pragma once
#include <optional>
#include <string>
#include <vector>

#include <kubist/deployers/deployer.hpp>
#include <kubist/deployers/runner.hpp>
#include <kubist/util/result.hpp>

namespace kubist::deployers {

/// Label of the DeployItems of an Execution.
inline constexpr std::string_view k_execution_label = "kubist.io/execution";

/// An Execution to run. References are valid during the call only.
struct ExecutionInput {
  const Json& object;  ///< as read, status included
  const Json& spec;    ///< after its policies
  Json owner_metadata =
      Json::object();  ///< labels and annotations for all objects made (kubist.io/owner, ...)
  bool force = false;
  bool wait = true;             ///< false: start or look, do not wait for the end
  bool foreign_crd = false;     ///< as Settings has it
  bool skip_uninstall = false;  ///< for items that are no longer rendered: see RemoveItemOptions
};

struct ExecutionOutcome {
  enum class State { ready, progressing, failed, stalled };
  State state = State::ready;
  std::string reason;
  std::string message;
  /// Behind failed and stalled: the first error, where all that failed had one of its kind.
  std::optional<util::Error> error;
  bool rolled_back = false;  ///< stalled: what had failed was rolled back, now or before
  /// status fields of the Execution: progress, items, exports.
  Json status = Json::object();
  std::vector<std::string> left_behind;  ///< of remove_execution()
};

/// Renders, applies (by `world`'s writer), runs and collects: items side by side, each after
/// those that it depends on; what a failure means for the others says spec.onFailure. DeployItems
/// that are no longer rendered are removed, never where rendering failed. Nothing is written when
/// nothing changed. Failures of items are an outcome; errors are those of requests at home.
util::Result<ExecutionOutcome> run_execution(World& world, const ExecutionInput& input);

/// Deletes its DeployItems (as remove_item() does) and what it made, each after those that depend
/// on it. progressing until nothing is left, then ready; failed names the items that do not go. A
/// dry run's message says what the deletion of each item runs. `options` as for remove_item().
util::Result<ExecutionOutcome> remove_execution(World& world, const ExecutionInput& input,
                                                const RemoveItemOptions& options = {});

}  // namespace kubist::deployers
