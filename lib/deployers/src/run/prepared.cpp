#include "run/prepared.hpp"

#include <kubist/util/text.hpp>

#include "item/requests.hpp"
#include "run/home.hpp"
#include "run/item_drift.hpp"

namespace kubist::deployers {

using util::cat;

util::Result<Prepared> prepare(World& world, Item item) {
  const Deployer* deployer = find_deployer(item.type, world.settings);
  Prepared prepared{std::move(item), deployer, {}};
  KUBIST_CHECK(prepared.deployer->check(prepared.item, world.settings));
  KUBIST_TRY(prepared.job.place, find_place(world, prepared.item));
  KUBIST_TRY(prepared.job.imports, read_imports(world, prepared.item));
  prepared.job.hash = work_hash(prepared.item, *prepared.deployer, world.settings,
                                prepared.job.imports, prepared.job.place);
  return prepared;
}

util::Result<> find_repairs(World& world, Prepared& prepared) {
  KUBIST_TRY(const auto drifted,
             prepared.deployer->drift(world, prepared.item, prepared.job.place));
  prepared.job.repairs = to_repair(drifted);
  prepared.left = drift_text(drifted);
  return {};
}

util::Result<ItemOutcome> conclude(World& world, Session& session, const Deployer* deployer,
                                   const Job& job, Progress progress, const std::string& left) {
  KUBIST_TRY(const Item item, session.item());
  std::optional<ExportResult> exports;
  if (progress.state == Progress::State::done && progress.exports) {
    auto kept = keep_exports(world, item, *progress.exports);
    if (kept) {
      exports = *std::move(kept);
    } else if (kept.error().reason == k_name_taken) {
      progress.state = Progress::State::failed;
      progress.operation = "KeepExports";
      progress.reason = kept.error().reason;
      progress.message = kept.error().to_string();
      progress.codes = {"ERR_CONFIGURATION_PROBLEM"};
    } else {
      return util::fail(kept.error());
    }
  }
  if (progress.log) {
    KUBIST_CHECK(keep_log(world, item, job.id, *progress.log));
  }
  bool ours = true;
  KUBIST_CHECK(session.write_status([&](Json status) {
    ours = !is_over(status, job.id);
    status =
        finished(std::move(status), job.remove, progress, job.hash, exports, world.clock->now());
    return progress.state == Progress::State::done
               ? with_drift(std::move(status), left, world.clock->now())
               : status;
  }));
  if (!ours) {
    return as_it_stands(session, true);
  }
  if (deployer != nullptr) {
    // Not waited for: the next run does, where there is one.
    if (const auto gone = deployer->dismiss(world, item, job); !gone && world.progress) {
      world.progress(cat("the pod of ", item.name, " was not removed: ", gone.error().message));
    }
  }
  ItemOutcome outcome =
      outcome_of(session, progress.state, true, progress.reason, progress.message);
  outcome.drift = left;
  return outcome;
}

}  // namespace kubist::deployers
