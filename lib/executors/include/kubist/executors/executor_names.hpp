#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kubist::executors {

/// The names of the built-in executor of a kind: that of the kind first, then those of Vamp Kubist,
/// for files that carry them. Empty: the kind has none.
std::vector<std::string> executor_names(std::string_view kind);

}  // namespace kubist::executors
