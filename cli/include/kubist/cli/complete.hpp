#pragma once
#include <functional>
#include <string>
#include <vector>

#include <kubist/cli/command.hpp>

namespace kubist::cli {

struct Candidate {
  std::string word;
  std::string help;
};

struct Completion {
  std::vector<Candidate> candidates;
  bool files = false;  ///< the shell shall offer file names
};

/// Names from the cluster or the kubeconfig, for the words typed so far; may be slow or fail: then
/// there are none.
using NameSource =
    std::function<std::vector<Candidate>(Completes what, const std::vector<std::string>& words)>;

/// What may stand at the last of `words` (which may be empty). Pure but for `names`.
Completion complete(const std::vector<std::string>& words, const NameSource& names);

}  // namespace kubist::cli
