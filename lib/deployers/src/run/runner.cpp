#include <kubist/data/pointer.hpp>
#include <kubist/deployers/runner.hpp>
#include <kubist/deployers/upstream.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>

#include "helm/helm_deployer.hpp"
#include "helm/helm_render.hpp"
#include "item/item_request.hpp"
#include "item/job.hpp"
#include "item/requests.hpp"
#include "item/session.hpp"
#include "item/watcher.hpp"
#include "manifest/manifest_deployer.hpp"
#include "manifest/manifest_run.hpp"
#include "run/item_drift.hpp"

namespace kubist::deployers {
namespace {

using util::cat;

/// Everything that a run needs besides the item.
struct Prepared {
  const Deployer* deployer = nullptr;
  Job job;
  std::string left;  ///< drift that the job leaves, for people
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
/// evidence may go. `left`: the drift that the job leaves.
util::Result<ItemOutcome> conclude(World& world, Session& session, const Deployer* deployer,
                                   const Job& job, Progress progress,
                                   const std::string& left = {}) {
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

/// Asks for the job where nobody has, takes it up, says what it is going to make (`announced`) and
/// answers a person's request, in one write.
/// False: another kubist has asked for a job, or ended one, since `decided_on` was read.
util::Result<bool> take_up(World& world, Session& session, const Json& decided_on,
                           const ItemRequest& request, bool mends, const Json& announced) {
  const std::string id = util::random_uuid();
  const std::int64_t generation = data::int_at(session.object(), {"metadata", "generation"});
  bool outdated = false;
  KUBIST_CHECK(session.write_status([&](Json status) {
    const auto job_of = [](const Json& any) { return data::string_at(any, {"jobID"}); };
    outdated =
        job_of(status) != job_of(decided_on) || job_pending(status) != job_pending(decided_on);
    if (outdated) {
      return status;
    }
    if (!job_pending(status)) {
      status = triggered(std::move(status), id, world.clock->now());
    }
    status = taken_up(std::move(status), generation, false, world.clock->now());
    status = mends ? mending(std::move(status)) : status;
    if (!announced.empty()) {
      status["providerStatus"].update(announced);
    }
    return answered(std::move(status), request, "runs again");
  }));
  return !outdated;
}

/// An interrupt that finds nothing to interrupt, or a word that kubist does not know.
util::Result<> answer_idle(Session& session, const ItemRequest& request) {
  KUBIST_CHECK(session.write_status([&](Json status) {
    return answered(std::move(status), request,
                    request.verb == ItemRequest::Verb::unknown
                        ? "DeployItems know reconcile and interrupt"
                        : "no run was under way");
  }));
  return drop_operation(session, request);
}

/// What a run of an item without new work comes to: its drift is told of.
util::Result<ItemOutcome> tell_drift(World& world, Session& session, const std::string& text) {
  KUBIST_CHECK(session.write_status(
      [&](Json status) { return with_drift(std::move(status), text, world.clock->now()); }));
  ItemOutcome outcome = as_it_stands(session, false);
  outcome.drift = text;
  return outcome;
}

/// Makes it a job that mends the drift that there is. False: there is none to mend.
util::Result<bool> set_repairs(World& world, const Item& item, Prepared& prepared) {
  KUBIST_TRY(const auto drifted, prepared.deployer->drift(world, item, prepared.job.place));
  prepared.job.repairs = to_repair(drifted);
  prepared.left = drift_text(drifted);
  std::string text;
  for (const auto& [ref, why] : prepared.job.repairs) {
    text += cat(text.empty() ? "" : "; ", why);
  }
  if (world.progress && !text.empty()) {
    world.progress(cat(item.name, ": repairs drift: ", text));
  }
  return !text.empty();
}

/// The outcome of a job that another kubist has ended. Nothing: another one has been asked for
/// since.
std::optional<ItemOutcome> ended_elsewhere(const Session& session) {
  const bool goes = !data::string_at(session.object(), {"metadata", "deletionTimestamp"}).empty();
  return job_pending(session.status()) && !goes ? std::nullopt
                                                : std::make_optional(as_it_stands(session, true));
}

/// Nothing: what was decided on is no longer so.
util::Result<std::optional<ItemOutcome>> run_as_decided(World& world, Session session,
                                                        const RunOptions& options) {
  auto item = session.item();
  if (!item && item.error().reason == k_item_changed) {
    return util::fail(item.error());
  }
  const ItemRequest request = request_of(session.object(), session.status());
  const bool asked = request.verb == ItemRequest::Verb::reconcile;
  const bool force = options.force || asked;
  if (item && find_deployer(item->type, world.settings) == nullptr) {
    return run_foreign(world, session, *item, {force, options.wait, options.trigger || asked});
  }
  if (request.verb != ItemRequest::Verb::none && !asked && !job_pending(session.status())) {
    KUBIST_CHECK(answer_idle(session, request));
  }
  auto prepared = item ? prepare(world, *item) : util::Result<Prepared>(util::fail(item.error()));
  if (!prepared && may_mend(prepared.error())) {
    return util::fail(prepared.error());
  }
  const Json status = session.status();
  const bool unchanged = prepared && last_hash(status) == prepared->job.hash && !force;
  if (!job_pending(status)) {
    if (!options.trigger && !asked) {
      return as_it_stands(session, false);
    }
    if (unchanged) {
      KUBIST_TRY(const bool mends, set_repairs(world, *item, *prepared));
      if (!mends) {
        return tell_drift(world, session, prepared->left);
      }
    }
  } else if (unchanged && item->update_on_change_only && !is_taken_up(status)) {
    Progress same;
    same.state = Progress::State::done;
    same.reason = "Unchanged";
    same.message = "nothing has changed since the last run";
    fill_job(session, world, prepared->job);
    return conclude(world, session, nullptr, prepared->job, std::move(same));
  } else if (prepared && !force && is_mending(status, prepared->job.hash)) {
    KUBIST_TRY(const bool mends, set_repairs(world, *item, *prepared));
    if (!mends) {
      KUBIST_CHECK(session.write_status([](Json now) { return mended(std::move(now)); }));
    }
  }
  if (!is_taken_up(session.status())) {
    const Json announced =
        prepared ? prepared->deployer->announced(world, *item, prepared->job) : Json::object();
    KUBIST_TRY(const bool ours, take_up(world, session, status, request,
                                        prepared && !prepared->job.repairs.empty(), announced));
    if (!ours) {
      return std::optional<ItemOutcome>();
    }
    KUBIST_CHECK(drop_operation(session, request));
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
  if (is_over(session.status(), prepared->job.id)) {
    return ended_elsewhere(session);
  }
  if (progress.state == Progress::State::running) {
    return outcome_of(session, progress.state, true, progress.reason, progress.message);
  }
  return conclude(world, session, prepared->deployer, prepared->job, std::move(progress),
                  prepared->left);
}

}  // namespace

util::Result<ItemOutcome> run_item(World& world, const std::string& ns, const std::string& name,
                                   const RunOptions& options) {
  constexpr int k_tries = 5;
  for (int attempt = 1; attempt <= k_tries; ++attempt) {
    auto session = options.known && attempt == 1 ? Session::of(world, *options.known)
                                                 : Session::open(world, ns, name);
    KUBIST_CHECK(session);
    session->expect(options.generation);
    KUBIST_TRY(auto outcome, run_as_decided(world, *std::move(session), options));
    if (outcome) {
      return *std::move(outcome);
    }
  }
  return util::fail(util::ErrorKind::unavailable,
                    cat("DeployItem ", ns, "/", name, " is run by another kubist again and again"));
}

util::Result<ItemOutcome> preview_item(World& world, const Json& deploy_item, bool force) {
  ItemOutcome outcome;
  outcome.reason = "DryRun";
  outcome.item = deploy_item;
  KUBIST_TRY(const Item item, parse_item(deploy_item));
  const Deployer* deployer = find_deployer(item.type, world.settings);
  const bool is_chart = deployer == &helm_deployer();
  const bool is_sent = world.writer.rules().dry_run == kube::DryRun::server;
  if (!is_chart && (deployer != &manifest_deployer() || !is_sent)) {
    return outcome;
  }
  KUBIST_TRY(Prepared prepared, prepare(world, item));
  const Json status = from_upstream_status(deploy_item.value("status", Json::object()));
  if (!force && !job_pending(status) && last_hash(status) == prepared.job.hash) {
    KUBIST_TRY(const auto drifted, prepared.deployer->drift(world, item, prepared.job.place));
    prepared.job.repairs = to_repair(drifted);
    outcome.drift = drift_text(drifted);
    if (prepared.job.repairs.empty()) {
      return outcome;
    }
  }
  if (is_chart && !prepared.job.repairs.empty()) {
    for (const auto& [ref, why] : prepared.job.repairs) {
      world.writer.tell(
          {"patch", name_of(ref), prepared.job.place.cluster, cat("repaired: ", why), {}});
    }
    return outcome;
  }
  if (is_chart) {
    KUBIST_CHECK(find_helm());
    outcome.message = "the objects of its chart are known when it runs";
    return outcome;
  }
  KUBIST_TRY(auto plan, parse_manifest_plan(item));
  ManifestRun run(world, item, prepared.job);
  KUBIST_TRY(const Progress progress, run.preview(std::move(plan)));
  outcome.state = progress.state;
  outcome.reason = progress.reason;
  outcome.message = progress.message;
  return outcome;
}

util::Result<ItemOutcome> interrupt_item(World& world, const std::string& ns,
                                         const std::string& name) {
  KUBIST_TRY(Session session, Session::open(world, ns, name));
  KUBIST_TRY(const Item item, session.item());
  const Deployer* deployer = find_deployer(item.type, world.settings);
  if (deployer == nullptr || !job_pending(session.status())) {
    ItemOutcome outcome = as_it_stands(session, false);
    outcome.state = Progress::State::done;
    outcome.message = deployer == nullptr ? cat("its type ", item.type, " is not one of kubist's")
                                          : "no run is under way";
    return outcome;
  }
  Job job;
  fill_job(session, world, job);
  job.remove = item.deleting;
  KUBIST_TRY(job.place, find_place(world, item));
  KUBIST_TRY(Progress end, end_interrupted(world, session, item, *deployer, job));
  KUBIST_CHECK(session.reload());
  if (job_pending(session.status()) && data::string_at(session.status(), {"jobID"}) == job.id) {
    return conclude(world, session, nullptr, job, std::move(end));
  }
  return outcome_of(session, Progress::State::failed, true, end.reason, end.message);
}

}  // namespace kubist::deployers
