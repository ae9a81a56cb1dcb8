#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <kubist/release/experiment_judge.hpp>

namespace kubist::experiment {

/// The shares of the clients to come in whole percent, 100 together: how probable it is that a
/// variant is the best by the first goal (Thompson, "On the likelihood that one unknown probability
/// exceeds another", 1933), none below plan.minimum_percent. Posteriors: Beta(1 + successes, 1 +
/// failures) of a conversion, a normal around the mean of a mean. By 10,000 draws from the plan's
/// seed and `stream`: the same numbers give the same shares. Empty: a variant has fewer samples
/// than the plan's minimum, so the plan's weights hold.
std::vector<int> thompson_shares(const Plan& plan, const std::vector<Totals>& totals,
                                 std::uint64_t stream);

/// What policies gave, as the plan has its variants; empty: they gave none. Invalid, reason
/// SharesRefused: the plan's assignment does not leave it to them; they name no share or one below
/// plan.minimum_percent of a variant, or another one, or are not 100 together.
util::Result<std::vector<int>> shares_of(const Plan& plan, const std::map<std::string, int>& given);

/// Is one of them 5 points or more away from before (empty: the plan's weights)? For less the route
/// stays as it is.
bool is_worth_moving(const std::vector<int>& before, const std::vector<int>& shares);

}  // namespace kubist::experiment
