#include "report/html.hpp"

#include <utility>

#include <kubist/util/text.hpp>

#include "reasons.hpp"
#include "report/report.hpp"

namespace kubist::cli {

using util::cat;

namespace {

struct CaseStyle {
  std::string_view word;
  std::string_view classes;
};

CaseStyle case_style(CaseState state) {
  switch (state) {
    case CaseState::failed:
      return {"failed", "failed"};
    case CaseState::waiting:
      return {"not ready", "waiting"};
    case CaseState::skipped:
      return {"skipped", "skipped"};
    case CaseState::passed:
      break;
  }
  return {"passed", "passed"};
}

/// What the registry of reasons says of it.
std::string reason_advice(const std::string& name) {
  const Reason* reason = find_reason(name);
  return reason == nullptr ? std::string()
                           : cat(html_prose("dim", reason->means),
                                 html_prose("advice", cat("What to do: ", reason->advice)));
}

std::string html_finding(const ReportCase& each) {
  const CaseStyle style = case_style(each.state);
  return cat("<div class=\"finding\">\n<p>",
             html_element("b", style.classes,
                          cat(style.word, each.reason.empty() ? "" : ": ", each.reason)),
             ' ', html_element("b", "", each.name), ' ',
             html_element("code", "", util::to_string(each.pos)), "</p>\n",
             html_element("pre", "", each.message), html_element("pre", "dim", each.details),
             reason_advice(each.reason), "</div>\n");
}

std::string case_line(const ReportCase& each) {
  const CaseStyle style = case_style(each.state);
  const std::string place = util::to_string(each.pos);
  return cat("<div class=\"row\"><div class=\"line\">",
             html_element("span", "name", each.name.empty() ? place : each.name),
             html_element("span", style.classes, style.word), "<span></span>",
             html_element("code", "dim", each.name.empty() ? "" : place), "</div></div>\n");
}

std::string counts_in_words(const RunReport& report) {
  std::vector<std::string> parts;
  for (const CaseState state :
       {CaseState::passed, CaseState::failed, CaseState::waiting, CaseState::skipped}) {
    if (const std::size_t count = report.count(state); count > 0) {
      parts.push_back(cat(count, ' ', case_style(state).word));
    }
  }
  return util::join(parts, ", ");
}

}  // namespace

std::string html_report(const RunReport& report) {
  std::string findings;
  std::string lines;
  for (const ReportCase& each : report.cases) {
    findings += each.is_finding() ? html_finding(each) : "";
    const bool shown = each.in_parts || each.is_finding();
    lines += shown || (each.name.empty() && each.pos.origin.empty()) ? "" : case_line(each);
  }
  const std::string head = cat("<header>\n", html_element("h1", "", report.title),
                               html_element("p", "counts", counts_in_words(report)), "</header>\n");
  return html_page(report.title,
                   cat(head, html_section("What went wrong", findings),
                       report.html ? report.html() : "", html_section("Results", lines)));
}

}  // namespace kubist::cli
