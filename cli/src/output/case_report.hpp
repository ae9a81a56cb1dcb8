#pragma once
#include <string_view>
#include <vector>

#include <kubist/cli/sink.hpp>
#include <kubist/engine/policy_case.hpp>

namespace kubist::cli {

/// One line a case as it ends, and for a failed one what differs.
void print_case(const engine::CaseResult& result, bool color, Sink& out);

/// {cases, passed, failed}
data::Json cases_json(const std::vector<engine::CaseResult>& results);
/// All of them at the end, as `form` says: json, junit, github (those that failed), or a line that
/// counts them.
void print_cases(const std::vector<engine::CaseResult>& results, std::string_view form, Sink& out);

}  // namespace kubist::cli
