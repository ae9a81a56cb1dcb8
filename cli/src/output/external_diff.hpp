#pragma once
#include <string>
#include <vector>

#include <kubist/apply/diff.hpp>
#include <kubist/cli/context.hpp>
#include <kubist/util/result.hpp>

namespace kubist::cli {

/// The program that $KUBECTL_EXTERNAL_DIFF names, and its flags; empty where it names none.
std::vector<std::string> external_diff();

/// Has the program compare the folders LIVE-* and MERGED-*, with a file for each object that
/// differs; values of Secrets are masked there, too. What it prints is the result. True: it says by
/// exit code 1 that they differ. invalid: any other code but 0; not_found: there is no such
/// program.
util::Result<bool> compare_by(Context& context, const std::vector<std::string>& program,
                              const apply::SetDiffs& diffs);

}  // namespace kubist::cli
