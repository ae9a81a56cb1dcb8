#pragma once
#include <string>
#include <utility>
#include <vector>

#include "report/report.hpp"

namespace kubist::cli {

/// The path of a file of the input as CI's readers want it: below the root of the checkout
/// ($GITHUB_WORKSPACE, $CI_PROJECT_DIR or $WORKSPACE), else below the working folder. What lies
/// elsewhere is absolute; "stdin" and URLs stay as they are.
std::string repository_path(const std::string& origin);

/// The findings of a report, each with what tells it from all others of this report and finds it
/// again in the next: a digest of its file, reason, name and message. Lines may move.
std::vector<std::pair<const ReportCase*, std::string>> findings(const RunReport& report);

}  // namespace kubist::cli
