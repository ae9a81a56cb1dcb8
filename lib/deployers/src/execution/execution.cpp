#include <set>

#include <kubist/data/pointer.hpp>

#include "execution/execution_run.hpp"

namespace kubist::deployers {

util::Result<ExecutionOutcome> run_execution(World& world, const ExecutionInput& input) {
  auto imports = resolve_imports(world, ns_of(input.object),
                                 data::find_path(input.spec, {"imports"}), Json::object());
  if (!imports && imports.error().reason.empty()) {
    return util::fail(imports.error());
  }
  if (!imports && !is_later(imports)) {
    return outcome_of(imports.error());
  }
  auto group = render_execution(input);
  if (!group) {
    return outcome_of(group.error());
  }
  const std::string hash = imports ? rollback_hash(input, *imports) : std::string();
  if (auto before = rolled_back_before(input, hash)) {
    return *std::move(before);
  }
  review_items(world, group->items);
  const auto refusal = refusal_of(group->items);
  if (refusal && on_failure(input.spec) == OnFailure::roll_back) {
    return outcome_of(*refusal);  // nothing is begun that would have to be undone
  }
  std::set<std::string> good = known_good(input.object);
  KUBIST_TRY(const auto present, owned_items(world, input.object));
  KUBIST_TRY(auto as_before, apply_items(world, input, present, group->items, ""));
  good.merge(as_before);
  if (world.writer.dry()) {
    return refusal ? outcome_of(*refusal)
                   : preview_execution(world, input, present, imports, *group);
  }
  ExecutionRun work(world, input, *std::move(imports), *std::move(group), std::move(good));
  const auto runs = work.run();
  ExecutionOutcome outcome = summarize(runs);
  KUBIST_CHECK(settle_rollback(world, input, hash, work, runs, outcome));
  if (outcome.state == ExecutionOutcome::State::ready) {
    KUBIST_CHECK(keep_exports(world, input, runs, outcome));
  }
  return outcome;
}

}  // namespace kubist::deployers
