#pragma once
#include <chrono>
#include <mutex>
#include <optional>
#include <vector>

#include <kubist/deployers/world.hpp>
#include <kubist/engine/pipeline.hpp>

#include "world/work.hpp"

namespace kubist::executors {

/// The policies that a Root or a Project imposes on DeployItems, for those that one Execution is
/// about to make. Any thread; valid as long as `work`.
class ItemPolicies {
 public:
  explicit ItemPolicies(Work& work) : m_work(work) {}
  /// Empty where nobody imposes any.
  deployers::Reviewer reviewer();
  /// The nearest time that one of them named for another look.
  std::optional<std::chrono::milliseconds> requeue_after() const;

 private:
  util::Result<std::vector<deployers::Review>> review(const std::vector<data::Json>& items);
  deployers::Review read(engine::PolicyVerdict verdict);

  Work& m_work;
  mutable std::mutex m_mutex;
  std::optional<std::chrono::milliseconds> m_requeue_after;  ///< guarded by m_mutex
};

}  // namespace kubist::executors
