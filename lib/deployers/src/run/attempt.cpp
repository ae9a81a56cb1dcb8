#include "run/attempt.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>

#include "item/failure.hpp"
#include "item/item_request.hpp"
#include "item/job.hpp"
#include "run/item_drift.hpp"
#include "run/prepared.hpp"

namespace kubist::deployers {
namespace {

using util::cat;

/// As attempt_item().
class Attempt {
 public:
  Attempt(World& world, Session session, const RunOptions& options)
      : m_world(world),
        m_session(std::move(session)),
        m_options(options),
        m_request(request_of(m_session.object(), m_session.status())),
        m_asked(m_request.verb == ItemRequest::Verb::reconcile) {}

  /// Nothing: what was decided on is no longer so.
  util::Result<std::optional<ItemOutcome>> run();

 private:
  using Settled = util::Result<std::optional<ItemOutcome>>;
  bool is_forced() const { return m_options.force || m_asked; }
  util::Result<> answer_idle();
  Settled settle(Prepared* prepared);
  Settled settle_without_job(Prepared* prepared, bool unchanged);
  util::Result<bool> find_what_to_mend(Prepared& prepared);
  util::Result<ItemOutcome> tell_drift(const std::string& text);
  util::Result<bool> take_up(const Prepared* prepared);
  util::Result<ItemOutcome> refuse(const util::Error& error);
  Settled work(Prepared& prepared);
  std::optional<ItemOutcome> ended_elsewhere() const;

  World& m_world;
  Session m_session;
  const RunOptions& m_options;
  const ItemRequest m_request;
  const bool m_asked;  ///< by a person, for a run
  Json m_decided_on;   ///< the status
};

util::Result<std::optional<ItemOutcome>> Attempt::run() {
  auto item = m_session.item();
  if (!item && item.error().reason == k_item_changed) {
    return util::fail(item.error());
  }
  if (item && find_deployer(item->type, m_world.settings) == nullptr) {
    return run_foreign(m_world, m_session, *item,
                       {is_forced(), m_options.wait, m_options.trigger || m_asked});
  }
  KUBIST_CHECK(answer_idle());
  auto prepared =
      item ? prepare(m_world, *std::move(item)) : util::Result<Prepared>(util::fail(item.error()));
  if (!prepared && may_mend(prepared.error())) {
    return util::fail(prepared.error());
  }
  Prepared* const ready = prepared ? &*prepared : nullptr;
  m_decided_on = m_session.status();
  KUBIST_TRY(auto settled, settle(ready));
  if (settled) {
    return settled;
  }
  if (!is_taken_up(m_session.status())) {
    KUBIST_TRY(const bool ours, take_up(ready));
    if (!ours) {
      return std::optional<ItemOutcome>();
    }
    KUBIST_CHECK(drop_operation(m_session, m_request));
  }
  return ready != nullptr ? work(*ready) : Settled(refuse(prepared.error()));
}

/// An interrupt that finds nothing to interrupt, or a word that kubist does not know.
util::Result<> Attempt::answer_idle() {
  if (m_request.verb == ItemRequest::Verb::none || m_asked || job_pending(m_session.status())) {
    return {};
  }
  KUBIST_CHECK(m_session.write_status([&](Json status) {
    return answered(std::move(status), m_request,
                    m_request.verb == ItemRequest::Verb::unknown
                        ? "DeployItems know reconcile and interrupt"
                        : "no run was under way");
  }));
  return drop_operation(m_session, m_request);
}

/// What needs no run; nothing: a job is to run. `prepared`: null where the item cannot be prepared.
Attempt::Settled Attempt::settle(Prepared* prepared) {
  const bool unchanged =
      prepared != nullptr && last_hash(m_decided_on) == prepared->job.hash && !is_forced();
  if (!job_pending(m_decided_on)) {
    return settle_without_job(prepared, unchanged);
  }
  if (unchanged && prepared->item.update_on_change_only && !is_taken_up(m_decided_on)) {
    Progress same;
    same.state = Progress::State::done;
    same.reason = "Unchanged";
    same.message = "nothing has changed since the last run";
    fill_job(m_session, m_world, prepared->job);
    return conclude(m_world, m_session, nullptr, prepared->job, std::move(same));
  }
  if (prepared != nullptr && !is_forced() && is_mending(m_decided_on, prepared->job.hash)) {
    KUBIST_TRY(const bool mends, find_what_to_mend(*prepared));
    if (!mends) {
      KUBIST_CHECK(m_session.write_status([](Json now) { return mended(std::move(now)); }));
    }
  }
  return std::optional<ItemOutcome>();
}

/// The same where the status asks for no job.
Attempt::Settled Attempt::settle_without_job(Prepared* prepared, bool unchanged) {
  if (!m_options.trigger && !m_asked) {
    return as_it_stands(m_session, false);
  }
  if (unchanged) {
    KUBIST_TRY(const bool mends, find_what_to_mend(*prepared));
    if (!mends) {
      return tell_drift(prepared->left);
    }
  }
  return std::optional<ItemOutcome>();
}

/// False: there is no drift to mend.
util::Result<bool> Attempt::find_what_to_mend(Prepared& prepared) {
  KUBIST_CHECK(find_repairs(m_world, prepared));
  std::string text;
  for (const auto& [ref, why] : prepared.job.repairs) {
    text += cat(text.empty() ? "" : "; ", why);
  }
  if (m_world.progress && !text.empty()) {
    m_world.progress(cat(prepared.item.name, ": repairs drift: ", text));
  }
  return !text.empty();
}

/// What a run of an item without new work comes to: its drift is told of.
util::Result<ItemOutcome> Attempt::tell_drift(const std::string& text) {
  KUBIST_CHECK(m_session.write_status(
      [&](Json status) { return with_drift(std::move(status), text, m_world.clock->now()); }));
  ItemOutcome outcome = as_it_stands(m_session, false);
  outcome.drift = text;
  return outcome;
}

/// Asks for the job where nobody has, takes it up, says what it is going to make and answers a
/// person's request, in one write. False: another kubist has asked for a job, or ended one, since
/// the status was read.
util::Result<bool> Attempt::take_up(const Prepared* prepared) {
  const Json announced = prepared != nullptr
                             ? prepared->deployer->announced(m_world, prepared->item, prepared->job)
                             : Json::object();
  const bool mends = prepared != nullptr && !prepared->job.repairs.empty();
  const std::string id = util::random_uuid();
  const std::int64_t generation = data::int_at(m_session.object(), {"metadata", "generation"});
  bool outdated = false;
  KUBIST_CHECK(m_session.write_status([&](Json status) {
    const auto job_of = [](const Json& any) { return data::string_at(any, {"jobID"}); };
    outdated =
        job_of(status) != job_of(m_decided_on) || job_pending(status) != job_pending(m_decided_on);
    if (outdated) {
      return status;
    }
    if (!job_pending(status)) {
      status = triggered(std::move(status), id, m_world.clock->now());
    }
    status = taken_up(std::move(status), generation, false, m_world.clock->now());
    status = mends ? mending(std::move(status)) : status;
    if (!announced.empty()) {
      status["providerStatus"].update(announced);
    }
    return answered(std::move(status), m_request, "runs again");
  }));
  return !outdated;
}

/// The job of an item that cannot be prepared.
util::Result<ItemOutcome> Attempt::refuse(const util::Error& error) {
  Job job;
  fill_job(m_session, m_world, job);
  const Progress failure = failure_of(error, "Prepare");
  KUBIST_CHECK(m_session.write_status([&](Json now) {
    return finished(std::move(now), false, failure, "", {}, m_world.clock->now());
  }));
  return outcome_of(m_session, Progress::State::failed, true, failure.reason, failure.message);
}

/// Drives the job that was taken up.
Attempt::Settled Attempt::work(Prepared& prepared) {
  KUBIST_CHECK(m_session.add_finalizer());
  fill_job(m_session, m_world, prepared.job);
  KUBIST_TRY(Progress progress,
             drive(m_world, m_session, *prepared.deployer, prepared.job, m_options.wait));
  if (is_over(m_session.status(), prepared.job.id)) {
    return ended_elsewhere();
  }
  if (progress.state == Progress::State::running) {
    return outcome_of(m_session, progress.state, true, progress.reason, progress.message);
  }
  return conclude(m_world, m_session, prepared.deployer, prepared.job, std::move(progress),
                  prepared.left);
}

/// The outcome of a job that another kubist has ended. Nothing: another one has been asked for
/// since.
std::optional<ItemOutcome> Attempt::ended_elsewhere() const {
  const bool goes = !data::string_at(m_session.object(), {"metadata", "deletionTimestamp"}).empty();
  return job_pending(m_session.status()) && !goes
             ? std::nullopt
             : std::make_optional(as_it_stands(m_session, true));
}

}  // namespace

util::Result<std::optional<ItemOutcome>> attempt_item(World& world, Session session,
                                                      const RunOptions& options) {
  return Attempt(world, std::move(session), options).run();
}

}  // namespace kubist::deployers
