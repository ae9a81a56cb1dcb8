#pragma once
#include <chrono>
#include <optional>
#include <string>

#include "item/session.hpp"

// What running and removing an item have in common.
namespace kubist::deployers {

/// How the item stands now, in the words of its caller.
ItemOutcome outcome_of(const Session& session, Progress::State state, bool ran, std::string reason,
                       std::string message);
/// The same from only the item's status, when nobody works on it here.
ItemOutcome as_it_stands(const Session& session, bool ran);
/// Asks for a run of an item whose type is not ours, and waits for its deployer. Where none takes
/// it up within 5 minutes it is Failed, reason PickupTimeout. The outcome is failed, reason
/// Timeout, where the item's timeout is over and its deployer still works: its status stays.
util::Result<ItemOutcome> run_foreign(World& world, Session& session, const Item& item,
                                      const RunOptions& options);
/// The place behind the item's target. Not_found, reason NoTargetFound: there is none.
util::Result<Place> find_place(World& world, const Item& item);
/// Id and start of the job that the item's status asks for.
void fill_job(const Session& session, const World& world, Job& job);
/// What is left of the item's timeout, also in `job`; nothing where it has none.
std::optional<std::chrono::milliseconds> set_remaining(Job& job, const Item& item,
                                                       const World& world);

}  // namespace kubist::deployers
