#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubist::cli {

/// One line for GitHub's runner: "::error file=F,title=T::text". `level` is error, warning or
/// notice. Text and values are escaped: whatever is in them begins no other command.
/// https://docs.github.com/actions/reference/workflow-commands-for-github-actions
std::string workflow_command(
    std::string_view level, const std::vector<std::pair<std::string_view, std::string>>& properties,
    std::string_view text);

}  // namespace kubist::cli
