#include <kubist/data/pointer.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "session.hpp"
#include "watcher.hpp"

namespace kubist::deployers {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds k_retry{2000};

void set_remaining(Job& job, const Item& item, const World& world) {
  if (item.timeout) {
    const auto left = job.started + *item.timeout - world.clock->now();
    job.remaining = std::chrono::duration_cast<std::chrono::seconds>(left);
  }
}

/// The earlier of two limits, either of which may be missing.
std::optional<milliseconds> earlier(std::optional<milliseconds> a, std::optional<milliseconds> b) {
  return !a ? b : !b ? a : std::min(*a, *b);
}

/// Stops what runs and waits until it has ended, for as long as a pod may take to.
Progress time_out(World& world, const Item& item, const Deployer& deployer, const Job& job,
                  const Progress& last) {
  Progress result;
  result.state = Progress::State::failed;
  result.operation = last.operation;
  result.reason = "Timeout";
  result.codes = {"ERR_TIMEOUT"};
  result.provider_status = last.provider_status;
  result.message = util::cat("not done within ", util::go_duration(*item.timeout), ": ",
                             last.message.empty() ? "not started" : last.message);
  const auto deadline =
      world.clock->monotonic() + world.settings.termination_grace + world.settings.graces.mark;
  Watcher watcher(world.stop);
  while (world.clock->monotonic() < deadline && !world.stop.stop_requested()) {
    const auto stopped = deployer.stop(world, item, job);
    if (!stopped) {
      result.message += util::cat("; stopping it failed: ", stopped.error().message);
      break;
    }
    if (stopped->log && !result.log) {
      result.log = stopped->log;
    }
    if (stopped->state == Progress::State::done) {
      if (last.operation == "RunWorkload" && !stopped->message.empty()) {
        result.message += util::cat("; ", stopped->message);
      }
      break;
    }
    watcher.set(stopped->watch);
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - world.clock->monotonic());
    if (!watcher.wait(earlier(left, stopped->ask_again))) {
      break;
    }
  }
  return result;
}

}  // namespace

util::Result<Progress> drive(World& world, Session& session, const Deployer& deployer, Job& job,
                             bool wait) {
  Watcher watcher(world.stop);
  Progress last;
  std::string said;
  while (true) {
    KUBIST_TRY(const Item item, session.item());
    set_remaining(job, item, world);
    if (job.remaining && job.remaining->count() <= 0) {
      return time_out(world, item, deployer, job, last);
    }
    auto step = deployer.advance(world, item, job);
    std::optional<milliseconds> ask_again;
    if (!step && !may_mend(step.error())) {
      return failure_of(step.error(), last.operation.empty() ? "StartPod" : last.operation);
    }
    if (step && step->state != Progress::State::running) {
      return *std::move(step);
    }
    if (step) {
      last = *std::move(step);
      ask_again = last.ask_again;
      KUBIST_CHECK(session.write_status([&](Json status) {
        return working(std::move(status), job.remove, last, world.clock->now());
      }));
    } else {
      last.message = step.error().message;
      ask_again = k_retry;
    }
    if (world.progress && said != last.message) {
      said = last.message;
      world.progress(said);
    }
    if (!wait || world.stop.stop_requested()) {
      return last;
    }
    watcher.set(last.watch);
    std::optional<milliseconds> limit;
    if (job.remaining) {
      limit = *job.remaining + milliseconds(500);
    }
    KUBIST_CHECK(watcher.wait(earlier(limit, ask_again)));
    if (world.stop.stop_requested()) {
      return last;
    }
  }
}

}  // namespace kubist::deployers
