#pragma once
#include <string_view>

#include <kubist/data/json.hpp>
#include <kubist/release/plan.hpp>
#include <kubist/release/progress.hpp>

namespace kubist::release {

/// Is the next window still open, or no weight under way? Then nothing is judged, and what was said
/// at the last one holds.
bool is_between(const data::Json& window);

/// The answer where there is no window: {reason, message}.
data::Json no_window(std::string_view reason, std::string_view message);

/// Is a weight of it under way, so that there is something to measure?
bool is_measured(const Progress& progress);

/// Is a window that began then over? It is as long as the interval; a look that comes a little
/// early closes it all the same.
bool is_window_over(const Plan& plan, Time began, Time now);

}  // namespace kubist::release
