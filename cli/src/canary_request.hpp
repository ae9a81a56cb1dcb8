#pragma once
#include "request.hpp"

namespace kubist::cli {

/// CanaryReleases, for commands that ask them or show them.
const Askable& canary();

/// One line of where a release stands: "shop: Waiting at 10 %, TooFew: ...".
std::string canary_line(const data::Json& release);
/// 0 Succeeded, 4 RolledBack and Aborted, 1 Failed, 3 under way.
int canary_exit_code(const data::Json& release);

}  // namespace kubist::cli
