#pragma once
#include <string_view>

#include <kubist/data/json.hpp>

namespace kubist::executors {

/// A hash of what was applied: what differs although it is the same was changed by others.
inline constexpr std::string_view k_applied_annotation = "kubist.io/applied";

/// Marks an object that is to be applied with the hash of `wish`.
void mark_applied(data::Json& object, const data::Json& wish);
/// Was this applied before, so that what differs is another's doing since? Else a field that
/// another manager has is a conflict: it may have been there first.
bool same_wish(const data::Json& object, const data::Json& live);

}  // namespace kubist::executors
