#pragma once
#include <vector>

#include "reference/markdown.hpp"

namespace kubist::cli {

// The pages of docs/reference that are made of what the program itself knows.

/// commands/*.md and exit-codes.md, of the commands' records.
std::vector<Page> command_pages();
/// kinds/*.md, of the schemas of kubist's kinds.
std::vector<Page> kind_pages();
/// policies/*.md, of the built-in policies' schemas.
std::vector<Page> policy_pages();
/// reasons.md, of the registry of reasons.
std::vector<Page> reason_pages();

}  // namespace kubist::cli
