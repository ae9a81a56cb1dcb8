#include <mutex>
#include <utility>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/fair_places.hpp>
#include <kubist/util/text.hpp>

#include "item/failure.hpp"
#include "item/item_request.hpp"
#include "item/job.hpp"
#include "item/log_store.hpp"
#include "item/requests.hpp"
#include "item/session.hpp"
#include "item/watcher.hpp"

namespace kubist::deployers {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds k_lock_retry{2000};
/// Of one project, and nearly as many of projects that have none.
constexpr util::Shares k_turns{16, 31};
constexpr std::string_view k_locked = "Locked";  ///< the reason of Rules::before's error

/// What a deployer tells may be text of a workload or of a member's server.
util::Result<Progress> told_short(util::Result<Progress> told) {
  constexpr std::size_t k_longest_message = std::size_t{16} << 10U;
  constexpr std::size_t k_longest_reason = 128;
  if (told) {
    told->message = util::shortened(told->message, k_longest_message);
    told->reason = util::shortened(told->reason, k_longest_reason, "");
  }
  return told;
}

/// Items that wait hold next to nothing; those that work hold replies and objects. So that hundreds
/// may wait, but few work at once: of each project some, as its servers may be silent for minutes.
util::Result<Progress> advance_in_turn(World& world, const Item& item, const Deployer& deployer,
                                       const Job& job) {
  static util::FairPlaces turns(k_turns);
  const auto turn = turns.take(item.ns, world.stop);
  if (!turn) {
    return util::fail(util::ErrorKind::cancelled, "stopped before it was its turn");
  }
  return told_short(deployer.advance(world, item, job));
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

/// The world of a deployer that drives a job which another kubist may be driving, too. Nothing is
/// written for a job that is over, or by what was known of the item before the lock was taken.
class JobGuard {
 public:
  JobGuard(World& world, Session& session, const Job& job) : m_world(world) {
    m_world.writer = world.writer.with_before(
        [this, &world, &session, &job] { return check(world, session, job); });
  }
  JobGuard(const JobGuard&) = delete;
  JobGuard& operator=(const JobGuard&) = delete;

  World& world() { return m_world; }
  /// Was the last step refused since the item is no longer what it was decided on?
  bool take_outdated() { return std::exchange(m_outdated, false); }
  /// Why the work ends: the lock was taken, but what was planned is no longer so.
  const std::optional<util::Error>& refusal() const { return m_refused; }

 private:
  util::Result<> check(World& world, Session& session, const Job& job) {
    const std::scoped_lock lock(m_mutex);  // deployers may write from several threads
    if (!m_outdated && !session.is_locked()) {
      const std::string before(resources::ObjectView(session.object()).resource_version());
      const auto over = session.see_whether_over(job.id);
      if (!over) {
        return refuse(over.error());
      }
      m_outdated = *over || before != resources::ObjectView(session.object()).resource_version();
    }
    if (m_outdated) {
      return util::fail(util::ErrorKind::conflict, "another kubist has worked on this item");
    }
    const auto may = world.writer.may_write();
    return may ? may : refuse(may.error());
  }
  util::Result<> refuse(const util::Error& error) {
    if (error.kind == util::ErrorKind::conflict && error.reason != k_locked) {
      m_refused = error;
    }
    return util::fail(error);
  }

  World m_world;
  std::mutex m_mutex;  ///< guards what follows while the deployer works
  bool m_outdated = false;
  std::optional<util::Error> m_refused;
};

/// Who drives the job under the lock notes how far it is; who only waits for it need not.
util::Result<> note_progress(World& world, Session& session, const Job& job,
                             const Progress& progress) {
  auto noted = session.write_status([&](Json status) {
    return working(std::move(status), job.remove, progress, world.clock->now());
  });
  const bool later = !noted && (noted.error().reason == k_locked || world.stop.stop_requested());
  return later ? util::Result<>{} : noted;
}

/// A stop ends the waiting, not the job: its status stays as it is.
Progress stopped_waiting(const World& world, const Item& item, Progress last) {
  const auto pod = data::string_at(last.provider_status, {"pod"});
  if (last.message.empty()) {
    last.message = "kubist was stopped before it was done";
  }
  if (world.progress) {
    world.progress(pod.empty()
                       ? util::cat("stopped: DeployItem ", item.ns, "/", item.name,
                                   " is not done; the next reconcile goes on with it")
                       : util::cat("stopped waiting: pod ",
                                   data::string_at(last.provider_status, {"podNamespace"}), "/",
                                   pod, " runs on; the next reconcile sees it to its end"));
  }
  return last;
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
    KUBIST_TRY(Progress stopped, told_short(deployer.stop(world, item, job)));
    log = log ? log : stopped.log;
    known.update(stopped.provider_status);
    if (stopped.state == Progress::State::done) {
      if (log && stopped.exports) {
        Redactor redactor;
        add_secret_exports(redactor, item, json_or_null(*stopped.exports));
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
  result.reason = k_interrupted;
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
  JobGuard guard(world, session, job);
  Progress last;
  std::string said;
  const resources::ObjectView view(session.object());
  const WatchRequest own = watch_of_item(world, std::string(view.ns()), std::string(view.name()));
  while (true) {
    KUBIST_TRY(const bool unwanted, look_at_item(session, watcher, own));
    if (is_over(session.status(), job.id)) {
      return last;
    }
    KUBIST_TRY(const Item item, session.item());
    if (unwanted) {
      return end_interrupted(world, session, item, deployer, job);
    }
    if (const auto left = set_remaining(job, item, world); left && left->count() <= 0) {
      KUBIST_TRY(const bool over, session.see_whether_over(job.id));
      return over ? last : time_out(world, item, deployer, job, last);
    }
    auto step = advance_in_turn(guard.world(), item, deployer, job);
    if (guard.take_outdated()) {
      continue;
    }
    if (!step && world.stop.stop_requested()) {
      return stopped_waiting(world, item, std::move(last));
    }
    if (guard.refusal()) {
      return util::fail(*guard.refusal());
    }
    std::optional<milliseconds> ask_again;
    if (!step && !may_mend(step.error())) {
      return failure_of(step.error(), last.operation.empty() ? "StartPod" : last.operation);
    }
    if (step && step->state != Progress::State::running) {
      const bool failed = step->state == Progress::State::failed;
      if (failed || !session.is_locked()) {
        KUBIST_TRY(const bool over, session.see_whether_over(job.id));
        // Failed: perhaps somebody else is interrupting the job.
        if (!over && failed && is_interrupted(session.status())) {
          return end_interrupted(world, session, item, deployer, job);
        }
      }
      return *std::move(step);
    }
    if (step) {
      last = *std::move(step);
      ask_again = last.ask_again;
      KUBIST_CHECK(note_progress(world, session, job, last));
      if (is_over(session.status(), job.id)) {
        return last;
      }
    } else {
      last.message = step.error().message;
      ask_again = k_lock_retry;
    }
    if (world.progress && said != last.message) {
      said = last.message;
      world.progress(said);
    }
    const bool at_once = ask_again && ask_again->count() == 0;
    if (wait && !at_once && !world.stop.stop_requested()) {
      auto watched = last.watch;
      watched.push_back(own);
      watcher.set(watched);
      KUBIST_CHECK(watcher.wait(earlier(set_remaining(job, item, world), ask_again)));
    }
    if (world.stop.stop_requested()) {
      return stopped_waiting(world, item, std::move(last));
    }
    if (!wait) {
      return last;
    }
  }
}

}  // namespace kubist::deployers
