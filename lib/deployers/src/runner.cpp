#include <kubist/data/pointer.hpp>
#include <kubist/deployers/runner.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>

#include "job.hpp"
#include "session.hpp"
#include "watcher.hpp"

namespace kubist::deployers {
namespace {

using util::cat;

constexpr std::chrono::minutes k_pickup{5};

ItemOutcome as_it_stands(const Session& session, bool ran) {
  const Json status = session.status();
  const auto phase = data::string_at(status, {"phase"});
  if (phase == phase::k_failed || phase == phase::k_delete_failed) {
    return outcome_of(session, Progress::State::failed, ran,
                      std::string(data::string_at(status, {"lastError", "reason"}, "Failed")),
                      std::string(data::string_at(status, {"lastError", "message"})));
  }
  const bool done = phase == phase::k_succeeded && !job_pending(status);
  return outcome_of(session, done ? Progress::State::done : Progress::State::running, ran,
                    done ? "Succeeded" : "Pending", "");
}

/// Everything that a run needs besides the item.
struct Prepared {
  const Deployer* deployer = nullptr;
  Job job;
};

util::Result<Prepared> prepare(World& world, const Item& item) {
  Prepared prepared;
  prepared.deployer = find_deployer(item.type, world.settings);
  KUBIST_CHECK(prepared.deployer->check(item, world.settings));
  KUBIST_TRY(prepared.job.place, find_place(world, item));
  KUBIST_TRY(prepared.job.imports, read_imports(world, item));
  prepared.job.hash =
      work_hash(item, *prepared.deployer, world.settings, prepared.job.imports, prepared.job.place);
  return prepared;
}

/// Final phase, exports, log: what is at home first, then the one write that ends the job, then the
/// evidence may go.
util::Result<ItemOutcome> conclude(World& world, Session& session, const Deployer* deployer,
                                   const Job& job, Progress progress) {
  KUBIST_TRY(const Item item, session.item());
  std::optional<ExportResult> exports;
  if (progress.state == Progress::State::done && progress.exports) {
    KUBIST_TRY(exports, keep_exports(world, item, *progress.exports));
  }
  if (progress.log) {
    KUBIST_CHECK(keep_log(world, item, job.id, *progress.log));
  }
  KUBIST_CHECK(session.write_status([&](Json status) {
    return finished(std::move(status), false, progress, job.hash, exports, world.clock->now());
  }));
  if (deployer != nullptr) {
    // Not waited for: the next run does, where there is one.
    if (const auto stopped = deployer->stop(world, item, job); !stopped && world.progress) {
      world.progress(cat("the pod of ", item.name, " was not removed: ", stopped.error().message));
    }
  }
  return outcome_of(session, progress.state, true, progress.reason, progress.message);
}

/// A type of others: their deployer works by the same handshake.
util::Result<ItemOutcome> await_foreign(World& world, Session& session, const Item& item,
                                        const RunOptions& options) {
  const auto deadline = world.clock->monotonic() + k_pickup;
  Watcher watcher(world.stop);
  while (options.wait && !world.stop.stop_requested()) {
    const Json status = session.status();
    if (!job_pending(status)) {
      break;
    }
    if (!is_taken_up(status) && world.clock->monotonic() >= deadline) {
      return outcome_of(session, Progress::State::failed, true, "PickupTimeout",
                        cat("no deployer for type ", item.type, " took DeployItem ", item.name,
                            " up within 5 minutes"));
    }
    watcher.set({{world.home, deploy_items(), item.ns, item.name}});
    KUBIST_CHECK(watcher.wait(is_taken_up(status)
                                  ? std::optional<std::chrono::milliseconds>()
                                  : std::chrono::duration_cast<std::chrono::milliseconds>(
                                        deadline - world.clock->monotonic())));
    KUBIST_CHECK(session.reload());
  }
  return as_it_stands(session, true);
}

util::Result<> trigger(World& world, Session& session) {
  const std::string id = util::random_uuid();
  return session.write_status(
      [&](Json status) { return triggered(std::move(status), id, world.clock->now()); });
}

util::Result<ItemOutcome> run_foreign(World& world, Session& session, const Item& item,
                                      const RunOptions& options) {
  const Json status = session.status();
  const bool fresh = data::int_at(status, {"observedGeneration"}) == item.generation;
  const bool good = data::string_at(status, {"phase"}) == phase::k_succeeded;
  if (!job_pending(status)) {
    if (!options.trigger || (fresh && good && !options.force)) {
      return as_it_stands(session, false);
    }
    KUBIST_CHECK(trigger(world, session));
  }
  return await_foreign(world, session, item, options);
}

/// Asks for the job where nobody has, and takes it up, in one write.
util::Result<> take_up(World& world, Session& session, bool deleting) {
  const std::string id = util::random_uuid();
  const std::int64_t generation = data::int_at(session.object(), {"metadata", "generation"});
  return session.write_status([&](Json status) {
    if (!job_pending(status)) {
      status = triggered(std::move(status), id, world.clock->now());
    }
    return taken_up(std::move(status), generation, deleting, world.clock->now());
  });
}

}  // namespace

util::Result<ItemOutcome> run_item(World& world, const std::string& ns, const std::string& name,
                                   const RunOptions& options) {
  KUBIST_TRY(Session session, Session::open(world, ns, name));
  auto item = session.item();
  if (item && find_deployer(item->type, world.settings) == nullptr) {
    return run_foreign(world, session, *item, options);
  }
  auto prepared = item ? prepare(world, *item) : util::Result<Prepared>(util::fail(item.error()));
  if (!prepared && may_mend(prepared.error())) {
    return util::fail(prepared.error());
  }
  const Json status = session.status();
  const bool unchanged = prepared && last_hash(status) == prepared->job.hash && !options.force;
  if (!job_pending(status)) {
    if (!options.trigger || unchanged) {
      return as_it_stands(session, false);
    }
  } else if (unchanged && item->update_on_change_only && !is_taken_up(status)) {
    Progress same;
    same.state = Progress::State::done;
    same.reason = "Unchanged";
    same.message = "nothing has changed since the last run";
    return conclude(world, session, nullptr, prepared->job, std::move(same));
  }
  if (!is_taken_up(session.status())) {
    KUBIST_CHECK(take_up(world, session, false));
  }
  if (!prepared) {
    Job job;
    fill_job(session, world, job);
    const Progress failure = failure_of(prepared.error(), "Prepare");
    KUBIST_CHECK(session.write_status([&](Json now) {
      return finished(std::move(now), false, failure, "", {}, world.clock->now());
    }));
    return outcome_of(session, Progress::State::failed, true, failure.reason, failure.message);
  }
  KUBIST_CHECK(session.add_finalizer());
  fill_job(session, world, prepared->job);
  KUBIST_TRY(Progress progress,
             drive(world, session, *prepared->deployer, prepared->job, options.wait));
  if (progress.state == Progress::State::running) {
    return outcome_of(session, progress.state, true, progress.reason, progress.message);
  }
  return conclude(world, session, prepared->deployer, prepared->job, std::move(progress));
}

}  // namespace kubist::deployers
