#include <kubist/data/pointer.hpp>
#include <kubist/deployers/runner.hpp>
#include <kubist/util/text.hpp>

#include "item/job.hpp"
#include "run/attempt.hpp"
#include "run/prepared.hpp"

namespace kubist::deployers {

using util::cat;

util::Result<ItemOutcome> run_item(World& world, const std::string& ns, const std::string& name,
                                   const RunOptions& options) {
  constexpr int k_tries = 5;
  for (int attempt = 1; attempt <= k_tries; ++attempt) {
    auto session = options.known && attempt == 1 ? Session::of(world, *options.known)
                                                 : Session::open(world, ns, name);
    KUBIST_CHECK(session);
    session->expect(options.generation);
    KUBIST_TRY(auto outcome, attempt_item(world, *std::move(session), options));
    if (outcome) {
      return *std::move(outcome);
    }
  }
  return util::fail(util::ErrorKind::unavailable,
                    cat("DeployItem ", ns, "/", name, " is run by another kubist again and again"));
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
