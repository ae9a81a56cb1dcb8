#include "output/case_report.hpp"

#include <algorithm>

#include <kubist/data/json_text.hpp>
#include <kubist/util/text.hpp>

#include "output/junit.hpp"
#include "output/set_documents.hpp"
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

JunitCase junit_case(const CaseResult& result) {
  JunitCase entry;
  entry.classname = "policy";
  entry.name = result.name;
  for (const auto& trace : result.trace) {
    entry.took += trace.took;
  }
  if (!result.passed) {
    entry.result = JunitCase::Result::failed;
    entry.type = "PolicyCase";
    entry.message = result.message;
  }
  for (const auto& difference : result.differences) {
    entry.text += cat(place(difference), '\n', expected_line(difference), '\n',
                      actual_line(difference), '\n');
  }
  return entry;
}

std::size_t passed_cases(const std::vector<CaseResult>& results) {
  return static_cast<std::size_t>(std::count_if(
      results.begin(), results.end(), [](const CaseResult& result) { return result.passed; }));
}

void print_failed_github(const std::vector<CaseResult>& results, Sink& out) {
  for (const CaseResult& result : results) {
    std::string text = cat(result.name, ": ", result.message);
    for (const auto& difference : result.differences) {
      text += cat('\n', place(difference), '\n', expected_line(difference), '\n',
                  actual_line(difference));
    }
    out.write(result.passed ? "" : github_annotation({}, text));
  }
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

void print_cases(const std::vector<CaseResult>& results, std::string_view form, Sink& out) {
  if (form == "json") {
    out.write(data::to_kubectl_json(cases_json(results)));
  } else if (form == "github") {
    print_failed_github(results, out);
  } else if (form == "junit") {
    std::vector<JunitCase> cases;
    std::transform(results.begin(), results.end(), std::back_inserter(cases), junit_case);
    print_junit("kubist policy test", cases, out);
  } else {
    const auto passed = passed_cases(results);
    out.write(cat(passed, " passed, ", results.size() - passed, " failed\n"));
  }
}

}  // namespace kubist::cli
