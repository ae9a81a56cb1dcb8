#include "executor_call.hpp"

#include <kubist/data/json_patch.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/threads.hpp>

namespace kubist::engine {

namespace {

/// A policy said to keep the world as it is: what was Ready for this spec stays so.
Alignment held_alignment(const Node& node, const PolicyVerdict& policies) {
  Alignment alignment;
  alignment.outcome = node.recorded_ready() ? Outcome::ready : Outcome::progressing;
  alignment.reason = "Held";
  alignment.message = policies.hold_message;
  return alignment;
}

/// What its policies made of it when they last came to an end.
Json former_spec(const Node& node) {
  const Json* effective = data::find_path(node.status(), {"effective"});
  return effective == nullptr || !effective->is_object()
             ? node.spec()
             : data::apply_merge_patch(node.spec(), *effective);
}

/// A policy that failed holds; a pause or rollback by one before it stays.
void hold_for(const PolicyVerdict& policies, std::optional<Decision>& decision) {
  Decision hold;
  hold.reason = policies.error->reason;
  const PolicyTrace& failed = policies.trace.back();
  hold.message = alignment_of(*failed.error).message;
  hold.by = failed.name;
  if (!decision || decision->action <= Action::hold) {  // why it holds is this, whoever else held
    decision = std::move(hold);
  }
}

/// What a definition made that is gone is in the inventory, which the kind's own executor goes by.
util::Result<Executor*> remover_of(const ExecutorSet& executors, const Node& node) {
  auto named = executors.find(node);
  return named ? named : executors.find(node.key.kind, "");
}

const Json& parameters_of(const Node& node) {
  static const Json none = Json::object();
  return node.executor ? node.executor->parameters : none;
}

}  // namespace

util::Result<Alignment> call_executor(const StepContext& context, const Node& node,
                                      const PolicyVerdict* policies,
                                      const std::function<void(std::string)>& progress) {
  const util::Error* error = policies && policies->error ? &*policies->error : nullptr;
  const auto executor = context.parts.executors.find(node);
  if (error != nullptr && !(executor && (*executor)->aligns_without_policies())) {
    return util::fail(*error);
  }
  KUBIST_CHECK(executor);
  if (policies && policies->hold && error == nullptr) {
    return held_alignment(node, *policies);
  }
  const Json former = error != nullptr ? former_spec(node) : Json();
  Context call{context.graph,
               context.info,
               error != nullptr ? former
               : policies       ? *policies->spec
                                : node.spec(),
               parameters_of(node),
               context.stop,
               context.parts.clock.now(),
               progress,
               policies ? policies->decision : std::nullopt,
               error};
  if (error != nullptr) {
    hold_for(*policies, call.decision);
  }
  return util::guarded([&] { return (*executor)->align(node, call); });
}

util::Result<Removal> call_remover(const StepContext& context, const Node& node,
                                   const std::function<void(std::string)>& progress) {
  KUBIST_TRY(Executor * executor, remover_of(context.parts.executors, node));
  Context call{context.graph, context.info,
               node.spec(),   parameters_of(node),
               context.stop,  context.parts.clock.now(),
               progress,      std::nullopt};
  return util::guarded([&] { return executor->remove(node, call); });
}

}  // namespace kubist::engine
