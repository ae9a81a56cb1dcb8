#include <kubist/deployers/execution.hpp>
#include <kubist/resources/kinds.hpp>

#include "environment/item_policies.hpp"
#include "keep/item_world.hpp"
#include "keep/kinds.hpp"

namespace kubist::executors {

using deployers::ExecutionOutcome;
using engine::Alignment;

namespace {

engine::Outcome outcome_of(ExecutionOutcome::State state) {
  switch (state) {
    case ExecutionOutcome::State::ready:
      return engine::Outcome::ready;
    case ExecutionOutcome::State::progressing:
      return engine::Outcome::progressing;
    case ExecutionOutcome::State::failed:
      return engine::Outcome::failed;
    case ExecutionOutcome::State::stalled:
      return engine::Outcome::stalled;
  }
  return engine::Outcome::failed;
}

class ExecutionExecutor final : public ManagedExecutor {
 public:
  using ManagedExecutor::ManagedExecutor;
  engine::Waits waits(const engine::Node& /*node*/) const override {
    return engine::Waits::for_others;
  }

 protected:
  util::Result<Alignment> align_node(Work& work) override {
    deployers::World items = items_world(work);
    ItemPolicies policies(work);
    items.review = policies.reviewer();
    KUBIST_TRY(const ExecutionOutcome outcome, deployers::run_execution(items, input_for(work)));
    Alignment alignment;
    alignment.outcome = outcome_of(outcome.state);
    alignment.reason = outcome.reason.empty() ? alignment.reason : outcome.reason;
    alignment.message = outcome.message;
    alignment.error = outcome.error;
    alignment.rolled_back = outcome.rolled_back;
    if (world().deployers.foreign_crd) {
      alignment.message += "; somebody else installed the DeployItem kind: upstream's fields only";
    }
    alignment.status = outcome.status;
    alignment.requeue_after = policies.requeue_after();
    alignment.needs_new_run = alignment.requeue_after.has_value();  // as for a node's own policies
    return alignment;
  }

  util::Result<engine::Removal> remove_node(Work& work) override {
    deployers::World items = items_world(work);
    KUBIST_TRY(const ExecutionOutcome outcome,
               deployers::remove_execution(
                   items, input_for(work),
                   {.skip_uninstall = world().skip_uninstall, .abandon = world().abandon}));
    if (outcome.state == ExecutionOutcome::State::progressing) {
      return removal_running(outcome.reason, outcome.message);
    }
    engine::Removal removal;
    if (outcome.state != ExecutionOutcome::State::ready) {
      removal.state = engine::RemovalState::failed;
    }
    removal.left_behind = outcome.left_behind;
    removal.reason = outcome.reason;
    removal.message = outcome.message;
    removal.error = outcome.error;
    return removal;
  }

 private:
  deployers::ExecutionInput input_for(Work& work) {
    deployers::ExecutionInput input{*work.node().object, work.spec()};
    input.owner_metadata = {{"labels", {{resources::k_managed_by_label, "kubist"}}},
                            {"annotations", {{resources::k_owner_annotation, work.owner_mark()}}}};
    input.force = world().force;
    input.foreign_crd = world().deployers.foreign_crd;
    input.skip_uninstall = world().skip_uninstall;
    return input;
  }
};

}  // namespace

std::shared_ptr<ManagedExecutor> make_execution_executor(World& world) {
  return std::make_shared<ExecutionExecutor>(world);
}

}  // namespace kubist::executors
