#include <kubist/data/pointer.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>

#include "item/job.hpp"
#include "item/session.hpp"
#include "item/watcher.hpp"

// Items of types that are not ours: their deployers work by the same handshake.
namespace kubist::deployers {
namespace {

using util::cat;

/// Upstream's own default (landscaper's deployItemTimeouts.pickup).
constexpr std::chrono::minutes k_pickup{5};

util::Result<ItemOutcome> not_picked_up(World& world, Session& session, const Item& item) {
  Progress failure;
  failure.state = Progress::State::failed;
  failure.operation = "WaitingForPickup";
  failure.reason = "PickupTimeout";
  failure.codes = {"ERR_TIMEOUT"};
  failure.message = cat("no deployer for type ", item.type, " took DeployItem ", item.name,
                        " up within 5 minutes");
  KUBIST_CHECK(session.write_status([&](Json status) {
    return is_taken_up(status) || !job_pending(status)
               ? status
               : finished(std::move(status), item.deleting, failure, "", {}, world.clock->now());
  }));
  return as_it_stands(session, true);
}

/// Its deployer works on, and may still write how it ends.
ItemOutcome not_done(const Session& session, const Item& item) {
  return outcome_of(session, Progress::State::failed, true, "Timeout",
                    cat("its deployer, for type ", item.type, ", is not done within ",
                        util::go_duration(*item.timeout)));
}

util::Result<> trigger(World& world, Session& session) {
  const std::string id = util::random_uuid();
  return session.write_status(
      [&](Json status) { return triggered(std::move(status), id, world.clock->now()); });
}

}  // namespace

util::Result<ItemOutcome> run_foreign(World& world, Session& session, const Item& item,
                                      const RunOptions& options) {
  const bool fresh = data::int_at(session.status(), {"observedGeneration"}) == item.generation;
  const bool good = is_success(data::string_at(session.status(), {"phase"}));
  if (!job_pending(session.status())) {
    if (!options.trigger || (fresh && good && !options.force)) {
      return as_it_stands(session, false);
    }
    KUBIST_CHECK(trigger(world, session));
  }
  const auto deadline = world.clock->monotonic() + k_pickup;
  Watcher watcher(world.stop);
  while (options.wait && !world.stop.stop_requested() && job_pending(session.status())) {
    const bool taken = is_taken_up(session.status());
    Job job;
    fill_job(session, world, job);
    const auto limit = taken ? set_remaining(job, item, world)
                             : std::optional(std::chrono::duration_cast<std::chrono::milliseconds>(
                                   deadline - world.clock->monotonic()));
    if (limit && limit->count() <= 0) {
      return taken ? not_done(session, item) : not_picked_up(world, session, item);
    }
    watcher.set({watch_of_item(world, item.ns, item.name)});
    KUBIST_CHECK(watcher.wait(limit));
    KUBIST_CHECK(session.reload());
  }
  return as_it_stands(session, true);
}

}  // namespace kubist::deployers
