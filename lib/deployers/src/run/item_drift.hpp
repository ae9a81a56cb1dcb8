#pragma once
#include <string>
#include <vector>

#include "item/session.hpp"

namespace kubist::deployers {

/// Of the drift that was found: what a job has to mend, each with its reason.
std::map<resources::ObjectRef, std::string> to_repair(const std::vector<Drifted>& drifted);
/// The rest, for people; empty: nothing.
std::string drift_text(const std::vector<Drifted>& drifted);

/// The status of a job that mends drift: who goes on with it is to do no more than that.
Json mending(Json status);
/// Was the job that the status asks for taken up to mend drift, of work with that hash?
bool is_mending(const Json& status, const std::string& hash);
/// The status of such a job of which nothing is left to mend.
Json mended(Json status);

/// The status with condition Drifted as that text says. A status that never had one gets none for
/// what is in sync.
Json with_drift(Json status, const std::string& text, TimePoint now);

}  // namespace kubist::deployers
