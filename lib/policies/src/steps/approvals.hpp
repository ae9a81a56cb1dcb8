#pragma once
#include <string>

#include "policy/release_policy.hpp"

namespace kubist::policies {

/// Whether a person said yes to a weight, and who; or how to say it, and why those that are there
/// do not count.
struct Consent {
  bool given = false;
  std::string message;
};

/// By the Approvals among the items: of the present target, of this attempt or of any, not expired.
Consent consent_to(const Json& list, const ReleaseView& view, int weight);

}  // namespace kubist::policies
