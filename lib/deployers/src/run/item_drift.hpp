#pragma once
#include <string>
#include <vector>

#include "item/session.hpp"

namespace kubist::deployers {

/// Of the drift that was found: what a job has to mend, each with its reason.
std::map<resources::ObjectRef, std::string> to_repair(const std::vector<Drifted>& drifted);
/// The rest, for people; empty: nothing.
std::string drift_text(const std::vector<Drifted>& drifted);

/// The status with condition Drifted as that text says. A status that never had one gets none for
/// what is in sync.
Json with_drift(Json status, const std::string& text, TimePoint now);

}  // namespace kubist::deployers
