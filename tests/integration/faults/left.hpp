#pragma once
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <kubist/data/json.hpp>

namespace faults {

using kubist::data::Json;

/// Objects, each as a text without what differs between two runs that do the same.
using Left = std::multiset<std::string>;

/// Without versions, managed fields, uids, what is named by a hash of one, and times. `names`: what
/// is called by another word, the longest first.
Left comparable(std::vector<Json> objects,
                const std::vector<std::pair<std::string, std::string>>& names);

/// What is in one alone; empty: nothing.
std::string difference(const Left& expected, const Left& found);

}  // namespace faults
