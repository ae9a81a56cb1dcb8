#pragma once
#include <string>
#include <vector>

#include <kubist/cli/complete.hpp>

namespace kubist::cli {

/// Names for completion, from the kubeconfig or the cluster that `words` point at. Silent: none
/// when anything fails or takes longer than 1.5 s.
std::vector<Candidate> complete_names(Completes what, const std::vector<std::string>& words);

}  // namespace kubist::cli
