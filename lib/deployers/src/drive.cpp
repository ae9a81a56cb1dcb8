#include <semaphore>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "item_request.hpp"
#include "log_store.hpp"
#include "session.hpp"
#include "watcher.hpp"

namespace kubist::deployers {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds k_retry{2000};
constexpr std::ptrdiff_t k_turns = 16;

/// Items that wait hold next to nothing; those that work hold replies and objects. So that hundreds
/// may wait, but few work at once.
util::Result<Progress> advance_in_turn(World& world, const Item& item, const Deployer& deployer,
                                       const Job& job) {
  static std::counting_semaphore<k_turns> turns(k_turns);
  turns.acquire();
  auto step = deployer.advance(world, item, job);
  turns.release();
  return step;
}

/// What is left of the item's timeout; nothing where it has none.
std::optional<milliseconds> set_remaining(Job& job, const Item& item, const World& world) {
  if (!item.timeout) {
    return std::nullopt;
  }
  const auto left = job.started + *item.timeout - world.clock->now();
  job.remaining = std::chrono::ceil<std::chrono::seconds>(left);
  return std::chrono::ceil<milliseconds>(left);
}

/// The earlier of two limits, either of which may be missing.
std::optional<milliseconds> earlier(std::optional<milliseconds> a, std::optional<milliseconds> b) {
  return !a ? b : !b ? a : std::min(*a, *b);
}

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
  if (auto stopped = stop_and_wait(world, item, deployer, job)) {
    result.log = std::move(stopped->log);
    result.provider_status.update(stopped->provider_status);
    if (last.operation == "RunWorkload" && !stopped->message.empty()) {
      result.message += util::cat("; ", stopped->message);
    }
  } else {
    result.message += util::cat("; stopping it failed: ", stopped.error().message);
  }
  return result;
}

/// Reads the item again where it has changed; true when somebody wants the job interrupted.
util::Result<bool> look_at_item(Session& session, const Watcher& watcher,
                                const WatchRequest& request) {
  const std::string latest = watcher.latest(request);
  if (!latest.empty() && latest != resources::ObjectView(session.object()).resource_version()) {
    KUBIST_CHECK(session.reload());
  }
  const Json status = session.status();
  return is_interrupted(status) ||
         request_of(session.object(), status).verb == ItemRequest::Verb::interrupt;
}

}  // namespace

util::Result<Progress> stop_and_wait(World& world, const Item& item, const Deployer& deployer,
                                     const Job& job) {
  std::optional<std::string> log;
  Json known = Json::object();
  const auto deadline =
      world.clock->monotonic() + world.settings.termination_grace + world.settings.graces.mark;
  Watcher watcher(world.stop);
  while (!world.stop.stop_requested()) {
    KUBIST_TRY(Progress stopped, deployer.stop(world, item, job));
    log = log ? log : stopped.log;
    known.update(stopped.provider_status);
    if (stopped.state == Progress::State::done) {
      if (log && stopped.exports) {
        Redactor redactor;
        add_secret_exports(redactor, item, Json::parse(*stopped.exports, nullptr, false));
        log = redactor.redact(*log);
      }
      stopped.log = std::move(log);
      stopped.provider_status = std::move(known);
      return stopped;
    }
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - world.clock->monotonic());
    if (left <= left.zero()) {
      return util::fail(util::ErrorKind::timeout, stopped.message);
    }
    watcher.set(stopped.watch);
    KUBIST_CHECK(watcher.wait(earlier(left, stopped.ask_again)));
  }
  return util::fail(util::ErrorKind::cancelled, "stopped while it was being stopped");
}

util::Result<Progress> end_interrupted(World& world, Session& session, const Item& item,
                                       const Deployer& deployer, const Job& job) {
  KUBIST_CHECK(
      session.write_status([](Json status) { return marked_interrupted(std::move(status)); }));
  KUBIST_TRY(Progress stopped, stop_and_wait(world, item, deployer, job));
  Progress result;
  result.state = Progress::State::failed;
  result.operation = "RunWorkload";
  result.reason = "Interrupted";
  result.message = "somebody interrupted it";
  result.provider_status = std::move(stopped.provider_status);
  result.log = std::move(stopped.log);
  if (!stopped.message.empty()) {
    result.message += util::cat("; ", stopped.message);
  }
  return result;
}

bool is_interrupted(const Json& status) {
  const auto job = data::string_at(status, {"jobID"});
  return !job.empty() && data::string_at(status, {"providerStatus", "interrupted"}) == job;
}

util::Result<Progress> drive(World& world, Session& session, const Deployer& deployer, Job& job,
                             bool wait) {
  Watcher watcher(world.stop);
  Progress last;
  std::string said;
  const resources::ObjectView view(session.object());
  const WatchRequest own = watch_of_item(world, std::string(view.ns()), std::string(view.name()));
  while (true) {
    KUBIST_TRY(const bool unwanted, look_at_item(session, watcher, own));
    KUBIST_TRY(const Item item, session.item());
    if (unwanted) {
      return end_interrupted(world, session, item, deployer, job);
    }
    if (const auto left = set_remaining(job, item, world); left && left->count() <= 0) {
      return time_out(world, item, deployer, job, last);
    }
    auto step = advance_in_turn(world, item, deployer, job);
    std::optional<milliseconds> ask_again;
    if (!step && !may_mend(step.error())) {
      return failure_of(step.error(), last.operation.empty() ? "StartPod" : last.operation);
    }
    if (step && step->state != Progress::State::running) {
      if (step->state == Progress::State::failed) {
        KUBIST_CHECK(session.reload());  // perhaps somebody else is interrupting the job
        if (is_interrupted(session.status())) {
          return end_interrupted(world, session, item, deployer, job);
        }
      }
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
    auto watched = last.watch;
    watched.push_back(own);
    watcher.set(watched);
    KUBIST_CHECK(watcher.wait(earlier(set_remaining(job, item, world), ask_again)));
    if (world.stop.stop_requested()) {
      return last;
    }
  }
}

}  // namespace kubist::deployers
