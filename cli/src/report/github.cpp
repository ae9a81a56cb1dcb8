#include <string>
#include <utility>
#include <vector>

#include <kubist/util/text.hpp>

#include "report/place.hpp"
#include "report/report.hpp"
#include "report/workflow_command.hpp"

namespace kubist::cli {

using util::cat;

namespace {

/// "3 passed, 1 failed, 2 not ready"
std::string counts(const RunReport& report) {
  std::vector<std::string> parts{cat(report.count(CaseState::passed), " passed")};
  for (const auto& [state, word] : {std::pair{CaseState::failed, " failed"},
                                    {CaseState::waiting, " not ready"},
                                    {CaseState::skipped, " skipped"}}) {
    if (const std::size_t count = report.count(state); count > 0) {
      parts.push_back(cat(count, word));
    }
  }
  return util::join(parts, ", ");
}

std::string annotation(const RunReport& report, const ReportCase& each) {
  std::vector<std::pair<std::string_view, std::string>> where;
  if (!each.pos.origin.empty()) {
    where.emplace_back("file", repository_path(each.pos.origin));
  }
  if (each.pos.line > 0) {
    where.emplace_back("line", std::to_string(each.pos.line));
    where.emplace_back("col", std::to_string(each.pos.column));
  }
  where.emplace_back("title", cat(report.title, ": ", each.reason));
  std::string text = each.name.empty() ? each.message : cat(each.name, ": ", each.message);
  if (!each.details.empty()) {
    text += cat('\n', each.details);
  }
  return workflow_command(each.state == CaseState::failed ? "error" : "warning", where, text);
}

/// Text for one cell of a table: it draws nothing and links nowhere.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : util::printable(text)) {
    if (c == '\n') {
      escaped += "<br>";
    } else if (c == '<' || c == '>' || c == '&') {
      escaped += c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&amp;";
    } else {
      escaped +=
          cat(std::string_view("\\`*_[]|~#!@").find(c) != std::string_view::npos ? "\\" : "", c);
    }
  }
  return util::replace_all(util::replace_all(escaped, "://", "&#58;//"), "www.", "www&#46;");
}

std::string row(const ReportCase& each) {
  const std::string_view word = each.state == CaseState::failed    ? "failed"
                                : each.state == CaseState::waiting ? "not ready"
                                                                   : "skipped";
  util::SourcePos place = each.pos;
  place.origin = repository_path(place.origin);
  return cat("| ", word, " | ", cell(each.name), " | ", cell(util::to_string(place)), " | ",
             cell(each.reason), " | ", cell(each.message), " |\n");
}

}  // namespace

std::string github_report(const RunReport& report) {
  std::string text;
  for (const ReportCase& each : report.cases) {
    text += each.is_finding() ? annotation(report, each) : "";
  }
  return text.empty() ? workflow_command("notice", {{"title", report.title}}, counts(report))
                      : text;
}

std::string github_summary(const RunReport& report) {
  constexpr std::size_t k_rows = 200;  // GitHub drops a summary of more than 1 MiB
  std::string rows;
  std::size_t count = 0;
  for (const ReportCase& each : report.cases) {
    if (each.state != CaseState::passed && ++count <= k_rows) {
      rows += row(each);
    }
  }
  std::string text = cat("### ", cell(report.title), "\n\n", counts(report), "\n\n");
  if (count > 0) {
    text +=
        cat("| result | what | where | reason | message |\n|---|---|---|---|---|\n", rows, '\n');
  }
  return count > k_rows ? cat(text, "and ", count - k_rows, " more\n\n") : text;
}

}  // namespace kubist::cli
