#pragma once
#include <kubist/release/loop.hpp>

namespace kubist::release {

/// What an evaluation saw, as policies see it: a ReleaseObservation {target: {name, ready,
/// message}, members: [{name, settled, changed, weight, message}]}.
data::Json observation(const Plan& plan, const Seen& seen);

}  // namespace kubist::release
