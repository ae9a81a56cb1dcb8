#pragma once
#include <string>

#include "item/job.hpp"

namespace kubist::deployers {

/// Everything that a run of an item needs.
struct Prepared {
  Item item;
  const Deployer* deployer = nullptr;
  Job job;
  std::string left = {};  ///< drift that the job leaves, for people
};
/// Errors: what is wrong with the item, its place or its imports. The item's type is one of ours.
util::Result<Prepared> prepare(World& world, Item item);
/// Makes it a job that mends the drift that there is. Without repairs there is none to mend.
util::Result<> find_repairs(World& world, Prepared& prepared);

/// Final phase, exports, log: what is at home first, then the one write that ends the job, then the
/// evidence may go (null: the deployer has none). `left`: the drift that the job leaves.
util::Result<ItemOutcome> conclude(World& world, Session& session, const Deployer* deployer,
                                   const Job& job, Progress progress, const std::string& left = {});

}  // namespace kubist::deployers
