#pragma once
#include <string>

#include <kubist/data/json.hpp>

namespace kubist::cli {

/// Where a CanaryRelease stands and how it came there, as HTML: what `canary status` says, its
/// weights over the time of its attempt as a picture, and each change in words.
std::string html_release(const data::Json& release);

}  // namespace kubist::cli
