#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <semaphore>
#include <set>
#include <string>
#include <vector>

#include "execution/execution_parts.hpp"

namespace kubist::deployers {

/// What a failed item means for the others: spec.onFailure.
enum class OnFailure { stop_dependents, keep_going, roll_back };
OnFailure on_failure(const Json& spec);

/// One run of an Execution: items in order, Templates unfolded when their turn comes. `world` and
/// `input` outlive it.
class ExecutionRun {
 public:
  /// `imports`: of the Execution, by name. `good`: names of items that have succeeded before.
  ExecutionRun(World& world, const ExecutionInput& input, Json imports, ItemGroup group,
               std::set<std::string> good);

  /// To the end of all items that could start. Exports are read where somebody asks for them.
  std::vector<ItemRun> run();
  bool has_failed() const { return m_failed; }

  using GroupCall = std::function<void(const ItemGroup&, const std::vector<ItemRun>&)>;
  /// After run(): calls `what` for the parts of each Templates item, then for the items themselves.
  void for_each_group(const std::vector<ItemRun>& runs, const GroupCall& what) const;

 private:
  static constexpr std::ptrdiff_t k_no_limit = 4096;

  /// `exports`: of items outside of the group, by name. `read`: whose exports are asked for.
  std::vector<ItemRun> run_group(const ItemGroup& group, const Json& imports, const Json& exports,
                                 const std::function<bool(std::size_t)>& read);
  std::optional<std::string> reason_to_wait(const std::vector<ItemRun>& runs,
                                            const std::vector<std::size_t>& before) const;
  void run_one(const RenderedItem& item, const Json& imports, const Json& exports, ItemRun& run);
  void read_exports(ItemRun& run);
  util::Result<ItemOutcome> run_deploy_item(const RenderedItem& item, const Json& imports);
  util::Result<ItemOutcome> run_template(const RenderedItem& item, const Json& imports,
                                         const Json& exports, ItemRun& run);

  World& m_world;
  const ExecutionInput& m_input;
  Json m_imports;
  ItemGroup m_group;
  OnFailure m_policy;
  std::counting_semaphore<k_no_limit> m_slots;
  std::atomic<bool> m_failed = false;
  std::mutex m_mutex;            ///< of what follows
  std::set<std::string> m_good;  ///< items, and parts, that had succeeded before this run
  std::map<std::string, ItemGroup> m_parts;  ///< of Templates items, by their names
};

/// What an attempt that was rolled back is known by: its items and imports. Empty: it is none.
std::string rollback_hash(const ExecutionInput& input, const Json& imports);
/// Of an attempt that was rolled back before; nothing: of another one, or to be tried again.
std::optional<ExecutionOutcome> rolled_back_before(const ExecutionInput& input,
                                                   const std::string& hash);
/// With onFailure: RollBack, after the items have run. Where they succeeded, what they are is kept.
/// Where one failed, all go back to what is kept, or none where that is missing.
util::Result<> settle_rollback(World& world, const ExecutionInput& input, const std::string& hash,
                               const ExecutionRun& run, const std::vector<ItemRun>& runs,
                               ExecutionOutcome& outcome);

}  // namespace kubist::deployers
