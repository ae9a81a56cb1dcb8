#pragma once
#include <vector>

#include <kubist/engine/resource_list.hpp>

// What policies and executors alike answer: a ResourceList with a PolicyRun.
namespace kubist::engine {

inline constexpr std::string_view k_policy_run = "PolicyRun";

struct Answer {
  Json items;  ///< without PolicyRuns
  std::vector<PolicyMessage> results;
  Json status;  ///< of the PolicyRun
};

/// Invalid (reason PolicyFailed): it is no ResourceList. Denied (PolicyDenied): by its results.
util::Result<Answer> read_answer(const Json& output);
/// state, requeueAfter, outcome and decision of a PolicyRun's status.
util::Result<> read_status(const Json& status, PolicyOutput& out);
/// An error of that kind.
tl::unexpected<util::Error> broken_list(std::string message);

}  // namespace kubist::engine
