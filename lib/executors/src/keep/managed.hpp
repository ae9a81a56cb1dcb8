#pragma once
#include <kubist/engine/executor.hpp>

#include "world/work.hpp"

namespace kubist::executors {

/// Reason of an error that ends by itself: a node that meets it is looked at again.
inline constexpr std::string_view k_namespace_terminating = "NamespaceTerminating";

/// What all executors of kubist's kinds do alike: finalizer first, the answer to a request,
/// deletion of the object itself, finalizer last.
class ManagedExecutor : public engine::Executor {
 public:
  explicit ManagedExecutor(World& world) : m_world(world) {}
  util::Result<engine::Alignment> align(const engine::Node& node,
                                        const engine::Context& context) final;
  util::Result<engine::Removal> remove(const engine::Node& node,
                                       const engine::Context& context) final;

 protected:
  virtual util::Result<engine::Alignment> align_node(Work& work) = 0;
  /// Takes away what was made for the node; the object itself is not its business.
  virtual util::Result<engine::Removal> remove_node(Work& work) = 0;
  /// Is there anything to take away, so that the object needs a finalizer?
  virtual bool needs_finalizer() const { return true; }
  World& world() { return m_world; }

 private:
  util::Result<> request_deletion(Work& work);
  util::Result<> let_go(Work& work);
  World& m_world;
};

/// A Removal that goes on: look again after a moment.
engine::Removal removal_running(std::string reason, std::string message);
/// What --abandon makes of a removal that failed: done, with what is left behind.
engine::Removal abandoned(const util::Error& why, std::vector<std::string> left_behind);

/// status.inventory's entry for an object.
data::Json inventory_entry(const kube::ApiResource& resource, const std::string& ns,
                           const std::string& name, const std::string& uid, bool adopted);
/// The object that an entry stands for.
resources::ObjectRef inventory_ref(const data::Json& entry);

}  // namespace kubist::executors
