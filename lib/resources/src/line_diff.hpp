#pragma once
#include <string_view>
#include <vector>

namespace kubist::resources {

/// A shortest edit script between two texts by lines.
struct LineDiff {
  std::vector<std::string_view> before;  ///< lines with their newline, views into the text
  std::vector<std::string_view> after;
  std::vector<char> removed;   ///< one flag a line of before
  std::vector<char> inserted;  ///< one flag a line of after
};

LineDiff diff_lines(std::string_view before, std::string_view after);

}  // namespace kubist::resources
