#include <kubist/resources/object.hpp>
#include <kubist/util/deadline.hpp>
#include <kubist/util/text.hpp>

#include "session/deletion_parts.hpp"

namespace kubist::executors {

namespace {

using apply::ObjectResult;
using deployers::Progress;
using util::cat;
using util::ErrorKind;

/// Whoever deletes an item of an Execution should know that this is not the last of it.
void say_who_makes_it_again(const DeletionHooks& hooks, const apply::Target& target,
                            const data::Json& live) {
  for (const resources::OwnerView& owner : resources::ObjectView(live).owners()) {
    if (owner.kind == "Execution") {
      hooks.log(cat("DeployItem ", target.name, " belongs to Execution ", owner.name,
                    ", which makes it again and runs it with its next reconcile. To be rid of it, "
                    "take it out of the Execution, or delete that."));
    }
  }
}

ObjectResult failed(const resources::ObjectRef& item, util::Error error) {
  ObjectResult result;
  result.ref = item;
  result.outcome = apply::Outcome::failed;
  result.error = std::move(error);
  return result;
}

ObjectResult result_of(const DeletionHooks& hooks, const ItemResult& removal) {
  if (!removal.outcome) {
    return failed(removal.item, removal.outcome.error());
  }
  const deployers::ItemOutcome& outcome = *removal.outcome;
  if (outcome.state != Progress::State::done) {
    return failed(removal.item, util::make_error(ErrorKind::unavailable,
                                                 cat("what runs at its deletion did not succeed: ",
                                                     util::printable(outcome.message)),
                                                 "--abandon lets the item go whatever happens."));
  }
  for (const std::string& left : outcome.left_behind) {
    hooks.log(cat("left behind: ", left));
  }
  ObjectResult result;
  result.ref = removal.item;
  result.outcome = apply::Outcome::deleted;
  return result;
}

bool is_unfinished(const ItemResult& removal) {
  return removal.outcome ? removal.outcome->state == Progress::State::running
                         : removal.outcome.error().kind == ErrorKind::cancelled;
}

}  // namespace

util::Result<> delete_items(kube::Client& home, const std::vector<apply::Target>& items,
                            const DeletionOptions& options, const DeletionHooks& hooks,
                            apply::Report& report, const std::stop_token& stop) {
  const bool dry = options.remove.dry_run != kube::DryRun::none;
  std::vector<std::string> notes;
  for (const apply::Target& target : items) {
    const auto live = home.find(target.resource, target.ns, target.name, stop);
    if (live && *live) {
      say_who_makes_it_again(hooks, target, **live);
      notes.push_back(
          deployers::removal_text(**live, {}, {.skip_uninstall = options.run.skip_uninstall}));
    }
  }
  const util::Deadline deadline(options.remove.timeout, stop);
  const auto take = [&](ObjectResult result) {
    options.remove.on_result(result);
    report.results.push_back(std::move(result));
  };
  apply::RemoveOptions request = options.remove;
  request.wait = false;
  request.on_result = nullptr;
  std::vector<resources::ObjectRef> requested;
  for (ObjectResult& result : apply::remove_set(home, items, request, deadline.token()).results) {
    if (options.remove.wait && !dry && result.outcome == apply::Outcome::deleted) {
      requested.push_back(result.ref);
    } else {
      take(std::move(result));
    }
  }
  for (const std::string& note : notes) {
    if (dry) {
      hooks.note(util::printable(note));
    }
  }
  if (requested.empty()) {
    return {};
  }
  KUBIST_TRY(const auto session, hooks.open());
  KUBIST_TRY(const auto removals,
             session->remove_items(requested, options.run, hooks.log, deadline.token()));
  std::size_t left = 0;
  for (const ItemResult& removal : removals) {
    if (is_unfinished(removal)) {
      ++left;
    } else {
      take(result_of(hooks, removal));
    }
  }
  if (left > 0) {
    return deadline.cut_short(
        cat(left, left == 1 ? " DeployItem is" : " DeployItems are", " not deleted yet"),
        "Run it again: it goes on where this one ended.");
  }
  return {};
}

}  // namespace kubist::executors
