#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <kubist/cli/sink.hpp>
#include <kubist/engine/policy_case.hpp>

#include "report/report.hpp"

namespace kubist::cli {

/// One line a case as it ends, and for a failed one what differs.
void print_case(const engine::CaseResult& result, bool color, Sink& out);

/// {cases, passed, failed}
data::Json cases_json(const std::vector<engine::CaseResult>& results);
/// "3 passed, 1 failed", a line.
std::string case_counts(const std::vector<engine::CaseResult>& results);
/// The cases for --report, which they outlive; `group`: of what they are.
RunReport case_report(const std::vector<engine::CaseResult>& results, std::string_view group);

}  // namespace kubist::cli
