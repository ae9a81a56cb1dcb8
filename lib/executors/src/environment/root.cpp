#include "keep/kinds.hpp"
#include "world/patterns.hpp"

namespace kubist::executors {

using engine::Alignment;

namespace {

class RootExecutor final : public ManagedExecutor {
 public:
  using ManagedExecutor::ManagedExecutor;

 protected:
  util::Result<Alignment> align_node(Work& work) override {
    KUBIST_CHECK(check_patterns(work.spec()));
    Alignment alignment;
    alignment.status["projects"] = work.node().children.size();
    return alignment;
  }
  util::Result<engine::Removal> remove_node(Work&) override { return engine::Removal{}; }
  bool needs_finalizer() const override { return false; }
};

}  // namespace

std::shared_ptr<ManagedExecutor> make_root_executor(World& world) {
  return std::make_shared<RootExecutor>(world);
}

}  // namespace kubist::executors
