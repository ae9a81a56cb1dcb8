#pragma once
#include <string>
#include <string_view>

namespace kubist::convert {

/// Why a field ("spec.analysis.alerts[0].name") has no counterpart and what to do instead: the
/// words of the nearest field above it that the table has, or that none is known.
std::string_view advice_of(std::string_view field);

}  // namespace kubist::convert
