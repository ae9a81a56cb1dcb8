#pragma once
#include <kubist/apply/owned.hpp>
#include <kubist/engine/executor.hpp>

#include "world/work.hpp"

namespace kubist::executors {

/// Reason of an error that ends by itself: a node that meets it is looked at again.
inline constexpr std::string_view k_namespace_terminating = "NamespaceTerminating";

/// What all executors of kubist's kinds do alike: finalizer first, the answer to a request, what a
/// function left, deletion of the object itself, finalizer last.
class ManagedExecutor : public engine::Executor {
 public:
  explicit ManagedExecutor(World& world) : m_world(world) {}
  /// The node itself, without what all kinds do alike.
  virtual util::Result<engine::Alignment> align_node(Work& work) = 0;
  /// Takes away what was made for the node; the object itself is not its business.
  virtual util::Result<engine::Removal> remove_node(Work& work) = 0;
  util::Result<engine::Alignment> align(const engine::Node& node,
                                        const engine::Context& context) final;
  util::Result<engine::Removal> remove(const engine::Node& node,
                                       const engine::Context& context) final;

 protected:
  /// Is there anything to take away, so that the object needs a finalizer?
  virtual bool needs_finalizer() const { return true; }
  /// Is status.executor of the node this executor's? Else it is what a former one left.
  virtual bool has_function(const engine::Node& /*node*/) const { return false; }
  /// Does it write status.executor?
  virtual bool is_function() const { return false; }
  World& world() { return m_world; }

 private:
  util::Result<engine::Alignment> align_rest(Work& work);
  util::Result<engine::Removal> remove_all(Work& work);
  util::Result<> request_deletion(Work& work);
  util::Result<> let_go(Work& work);
  World& m_world;
};

/// What a failed look means: engine::alignment_of(), but an error that goes away by itself, soon,
/// is looked at again within the run.
engine::Alignment alignment_of_failure(const util::Error& error);
/// A Removal that goes on: look again after a moment.
engine::Removal removal_running(std::string reason, std::string message);
/// After the name of what may have been left behind, where nobody can look whether it is there.
inline constexpr std::string_view k_unchecked = " (recorded; could not be checked)";
/// What --abandon makes of a removal that failed: done, with what is left behind.
engine::Removal abandoned(const util::Error& why, std::vector<std::string> left_behind);

/// On what the node makes.
apply::OwnerMark mark_of(const Work& work);
/// A record as an entry of status.inventory has it, and back.
data::Json inventory_entry(const apply::Recorded& recorded, bool adopted = false);
apply::Recorded read_entry(const data::Json& entry);

}  // namespace kubist::executors
