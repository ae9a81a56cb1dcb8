#include "delete_items.hpp"

#include <kubist/cli/exit_codes.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "deadline.hpp"
#include "session.hpp"

namespace kubist::cli {

namespace {

using apply::ObjectResult;
using apply::Outcome;
using deployers::Progress;
using util::cat;
using util::ErrorKind;

/// Whoever deletes an item of an Execution should know that this is not the last of it.
void say_who_makes_it_again(Context& context, const apply::Target& target, const data::Json& live) {
  for (const resources::OwnerView& owner : resources::ObjectView(live).owners()) {
    if (owner.kind == "Execution") {
      context.log().line(cat("DeployItem ", target.name, " belongs to Execution ", owner.name,
                             ", which makes it again and runs it with its next reconcile. To be "
                             "rid of it, take it out of the Execution, or delete that."));
    }
  }
}

ObjectResult failure(const resources::ObjectRef& item, util::Error error) {
  ObjectResult result;
  result.ref = item;
  result.outcome = Outcome::failed;
  result.error = std::move(error);
  return result;
}

ObjectResult result_of(Context& context, executors::ItemResult& removal) {
  if (!removal.outcome) {
    return failure(removal.item, removal.outcome.error());
  }
  const deployers::ItemOutcome& outcome = *removal.outcome;
  if (outcome.state != Progress::State::done) {
    return failure(removal.item, util::make_error(ErrorKind::unavailable,
                                                  cat("what runs at its deletion did not succeed: ",
                                                      util::printable(outcome.message)),
                                                  "--abandon lets the item go whatever happens."));
  }
  for (const std::string& left : outcome.left_behind) {
    context.log().line(cat("left behind: ", left));
  }
  ObjectResult result;
  result.ref = removal.item;
  result.outcome = Outcome::deleted;
  return result;
}

}  // namespace

bool is_deploy_item(const kube::ApiResource& resource) {
  return resource.kind == "DeployItem" && resource.group == resources::k_landscaper_group;
}

util::Result<int> delete_items(Context& context, const Arguments& arguments,
                               const std::vector<apply::Target>& items,
                               apply::RemoveOptions options, DeletionPrinter& printer,
                               apply::Report& report) {
  KUBIST_TRY(const auto client, context.client());
  const bool dry = options.dry_run != kube::DryRun::none;
  const bool runs = options.wait && !dry;
  const executors::ReconcileOptions how = removal_options(arguments);
  std::vector<std::string> notes;
  for (const apply::Target& target : items) {
    const auto live = client->find(target.resource, target.ns, target.name, context.stop());
    if (live && *live) {
      say_who_makes_it_again(context, target, **live);
      notes.push_back(deployers::removal_text(**live, {}, {.skip_uninstall = how.skip_uninstall}));
    }
  }
  const Deadline deadline(options.timeout, context.stop());
  options.wait = false;
  options.on_result = nullptr;
  std::vector<resources::ObjectRef> requested;
  const auto take = [&](ObjectResult result) {
    printer.result(result);
    report.results.push_back(std::move(result));
  };
  for (ObjectResult& result : apply::remove_set(*client, items, options, deadline.token()).results) {
    if (runs && result.outcome == Outcome::deleted) {
      requested.push_back(result.ref);
    } else {
      take(std::move(result));
    }
  }
  for (const std::string& note : notes) {
    if (dry) {
      printer.note(util::printable(note));
    }
  }
  if (requested.empty()) {
    return k_ok;
  }
  KUBIST_TRY(const auto session, open_session(context));
  KUBIST_TRY(auto removals,
             session->remove_items(
                 requested, how, [&](const std::string& text) { context.log().line(text); },
                 deadline.token()));
  std::size_t left = 0;
  for (executors::ItemResult& removal : removals) {
    const bool unfinished = removal.outcome ? removal.outcome->state == Progress::State::running
                                            : removal.outcome.error().kind == ErrorKind::cancelled;
    if (unfinished) {
      ++left;
    } else {
      take(result_of(context, removal));
    }
  }
  if (left > 0) {
    return deadline.cut_short(
        cat(left, left == 1 ? " DeployItem is" : " DeployItems are", " not deleted yet"),
        "Run it again: it goes on where this one ended.");
  }
  return k_ok;
}

}  // namespace kubist::cli
