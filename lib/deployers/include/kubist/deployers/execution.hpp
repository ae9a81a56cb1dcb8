#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <kubist/deployers/deployer.hpp>
#include <kubist/deployers/runner.hpp>
#include <kubist/util/result.hpp>

namespace kubist::deployers {

/// An Execution to run. References are valid during the call only.
struct ExecutionInput {
  const Json& object;  ///< as read, status included
  const Json& spec;    ///< after its policies
  Json owner_metadata =
      Json::object();  ///< labels and annotations for all objects made (kubist.io/owner, ...)
  bool force = false;
  bool wait = true;      ///< false: start or look, do not wait for the end
  bool dry_run = false;  ///< render and compare, write and run nothing
  bool foreign_crd = false;  ///< as Settings has it
};

/// One object to be: a DeployItem or its import Secret.
struct RenderedItem {
  std::string name;  ///< of the item in the Execution
  Json deploy_item;
  Json import_secret;  ///< null: no imports
};

/// The DeployItems of an Execution. Pure. `imports` is the map of resolved values. Invalid, reason
/// InvalidItem: an item that cannot be (with its name), a type that is not there.
util::Result<std::vector<RenderedItem>> render_execution(const ExecutionInput& input,
                                                         const Json& imports);

/// Names of DeployItems that belong to the Execution (label) and are not rendered any more.
std::vector<std::string> to_prune(const std::vector<Json>& present,
                                  const std::vector<RenderedItem>& wanted);

struct ExecutionOutcome {
  enum class State { ready, progressing, failed, stalled };
  State state = State::ready;
  std::string reason;
  std::string message;
  /// status fields of the Execution: progress, items, exports.
  Json status = Json::object();
  std::vector<std::string> left_behind;  ///< of remove_execution()
};

/// Renders, applies (field manager of `world`), runs and collects. Nothing is written when nothing
/// changed. Failures of items are an outcome; errors are those of requests at home.
util::Result<ExecutionOutcome> run_execution(World& world, const ExecutionInput& input);

/// Deletes its DeployItems (with their OPERATION=DELETE runs) and what it made, side by side.
/// progressing until nothing is left, then ready; failed names the items that do not go. `options`
/// as for remove_item().
util::Result<ExecutionOutcome> remove_execution(World& world, const ExecutionInput& input,
                                                const RemoveItemOptions& options = {});

}  // namespace kubist::deployers
