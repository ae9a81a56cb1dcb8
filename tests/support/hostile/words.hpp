#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

/// The tables of which hostile values are made.
namespace kubist::testing {

using Words = std::vector<std::string>;

/// What parsers hate.
const Words& nasty_texts();
/// What fields of some names may hold, by the end of the name in lower case; half of it wrong.
const std::map<std::string, Words, std::less<>>& by_field();
/// Short texts of all sorts, for fields with a pattern: some fit it.
const Words& plausible_texts();

}  // namespace kubist::testing
