#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/deployers/deployer.hpp>

namespace kubist::deployers {

/// Reason of an item that was changed since it was decided that it runs.
inline constexpr std::string_view k_item_changed = "PlanChanged";

struct RunOptions {
  bool force = false;  ///< run although nothing has changed
  bool wait = true;    ///< false: one step, then tell where it stands
  /// Ask for a new job only where one is needed: the last one failed, or its hash differs. (Jobs
  /// that are asked for already are run in any case, unless updateOnChangeOnly and nothing
  /// changed.)
  bool trigger = true;
  /// The item as it was read or written in this run, not long ago; null: it is read.
  std::shared_ptr<const Json> known = nullptr;
  /// Only this generation of the item may run; 0: any. Another one is a conflict, reason
  /// k_item_changed.
  std::int64_t generation = 0;
};

/// How an item stands after run_item() or remove_item().
struct ItemOutcome {
  Progress::State state = Progress::State::done;
  bool ran = false;  ///< a job was run (else nothing had changed, and nothing was written)
  std::string phase;
  std::string reason;
  std::string message;  ///< may be shown: redacted
  std::string drift;    ///< what others changed of its objects and was left so; empty: nothing
  Json item;            ///< the DeployItem as it is now
  std::vector<std::string> left_behind;  ///< by a removal that let go of it (abandon)
};

/// The same by its status, whoever works on it; `ran` is not known. Pure.
ItemOutcome outcome_of_item(const Json& deploy_item);

}  // namespace kubist::deployers
