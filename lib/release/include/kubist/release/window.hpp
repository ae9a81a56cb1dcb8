#pragma once
#include <string_view>

#include <kubist/data/json.hpp>

namespace kubist::release {

/// The metric query whose answer is the window of a release: {seconds, weight, arms: {VERSION:
/// {requests, errors, latency}}}, or {reason, message} where there is none.
inline constexpr std::string_view k_window_query = "release";

/// Is the next window still open, or no weight under way? Then nothing is judged, and what was said
/// at the last one holds.
bool is_between(const data::Json& window);

}  // namespace kubist::release
