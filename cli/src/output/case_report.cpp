#include "output/case_report.hpp"

#include <algorithm>

#include <kubist/data/json_text.hpp>
#include <kubist/util/text.hpp>

#include "output/tree_lines.hpp"

namespace kubist::cli {

using data::Json;
using engine::CaseDifference;
using engine::CaseResult;
using util::cat;

namespace {

std::string place(const CaseDifference& difference) {
  return difference.pointer.empty() ? "/" : difference.pointer;
}
std::string expected_line(const CaseDifference& difference) {
  return cat("    - ", data::to_json(difference.expected));
}
std::string actual_line(const CaseDifference& difference) {
  return cat("    + ", data::to_json(difference.actual));
}

Json to_json(const CaseResult& result) {
  Json json{{"name", result.name}, {"passed", result.passed}};
  if (!result.message.empty()) {
    json["message"] = result.message;
  }
  for (const auto& difference : result.differences) {
    json["differences"].push_back({{"pointer", difference.pointer},
                                   {"expected", difference.expected},
                                   {"actual", difference.actual}});
  }
  return json;
}

ReportCase case_of(const CaseResult& result, std::string_view group) {
  ReportCase entry;
  entry.group = group;
  entry.name = result.name;
  entry.pos = result.pos;
  for (const auto& trace : result.trace) {
    entry.took += trace.took;
  }
  if (!result.passed) {
    entry.state = CaseState::failed;
    entry.reason = "CaseFailed";
    entry.message = result.message;
  }
  std::vector<std::string> lines;
  for (const auto& difference : result.differences) {
    lines.insert(lines.end(),
                 {place(difference), expected_line(difference), actual_line(difference)});
  }
  entry.details = util::join(lines, "\n");
  return entry;
}

std::size_t passed_cases(const std::vector<CaseResult>& results) {
  return static_cast<std::size_t>(std::count_if(
      results.begin(), results.end(), [](const CaseResult& result) { return result.passed; }));
}

}  // namespace

void print_case(const CaseResult& result, bool color, Sink& out) {
  constexpr int k_green = 32;
  constexpr int k_red = 31;
  out.write(cat(result.passed ? paint("PASS", k_green, color) : paint("FAIL", k_red, color), "  ",
                util::printable(result.name), '\n'));
  if (!result.passed && result.differences.empty()) {
    out.write(cat("  ", util::printable(result.message), '\n'));
  }
  for (const auto& difference : result.differences) {
    out.write(cat("  ", util::printable(place(difference)), '\n',
                  paint(util::printable(expected_line(difference)), k_red, color), '\n',
                  paint(util::printable(actual_line(difference)), k_green, color), '\n'));
  }
  for (const auto& trace : result.trace) {
    if (!result.passed && !trace.stderr_tail.empty()) {
      out.write(cat("  ", trace.name, " printed:\n", util::printable(trace.stderr_tail), '\n'));
    }
  }
}

Json cases_json(const std::vector<CaseResult>& results) {
  const auto passed = passed_cases(results);
  Json report{{"cases", Json::array()}, {"passed", passed}, {"failed", results.size() - passed}};
  for (const CaseResult& result : results) {
    report["cases"].push_back(to_json(result));
  }
  return report;
}

std::string case_counts(const std::vector<CaseResult>& results) {
  const auto passed = passed_cases(results);
  return cat(passed, " passed, ", results.size() - passed, " failed\n");
}

RunReport case_report(const std::vector<CaseResult>& results, std::string_view group) {
  RunReport made;
  std::transform(results.begin(), results.end(), std::back_inserter(made.cases),
                 [&](const CaseResult& result) { return case_of(result, group); });
  made.text = [&results] {
    StringSink text;
    for (const CaseResult& result : results) {
      print_case(result, false, text);
    }
    return text.text() + case_counts(results);
  };
  made.json = [&results] { return data::to_kubectl_json(cases_json(results)); };
  return made;
}

}  // namespace kubist::cli
