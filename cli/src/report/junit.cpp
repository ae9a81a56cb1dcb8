#include <array>
#include <cstdio>
#include <utility>

#include <kubist/util/text.hpp>

#include "report/place.hpp"
#include "report/report.hpp"

namespace kubist::cli {

using util::cat;

namespace {

std::string junit_time(std::chrono::nanoseconds took) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.3f", std::chrono::duration<double>(took).count());
  return buffer.data();
}

std::string outcome(const ReportCase& each) {
  if (each.state == CaseState::skipped) {
    return cat("<skipped message=\"", xml_text(each.message), "\"/>");
  }
  return cat("<failure type=\"", xml_text(each.reason), "\" message=\"", xml_text(each.message),
             "\">", xml_text(each.text()), "</failure>");
}

/// `file` and `line` are no part of Jenkins' schema: GitLab and others read them.
std::string test_case(const RunReport& report, const ReportCase& each) {
  const std::string place = util::to_string(each.pos);
  std::string text = cat("  <testcase classname=\"",
                         xml_text(each.group.empty() ? report.title : each.group), "\" name=\"",
                         xml_text(!each.name.empty() ? each.name
                                  : place.empty()    ? report.title
                                                     : place),
                         "\" time=\"", junit_time(each.took), '"');
  if (!each.pos.origin.empty()) {
    text += cat(" file=\"", xml_text(repository_path(each.pos.origin)), '"');
  }
  if (each.pos.line > 0) {
    text += cat(" line=\"", each.pos.line, '"');
  }
  return each.state == CaseState::passed ? cat(text, "/>\n")
                                         : cat(text, '>', outcome(each), "</testcase>\n");
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string escaped = util::printable(text);
  const std::pair<const char*, const char*> pairs[] = {
      {"&", "&amp;"},
      {"<", "&lt;"},
      {">", "&gt;"},
      {"\"", "&quot;"},
      {"\n", "&#10;"},
      {"\xEF\xBF\xBE", "\\ufffe"},
      {"\xEF\xBF\xBF", "\\uffff"}};  // XML has no such characters
  for (const auto& [from, to] : pairs) {
    escaped = util::replace_all(escaped, from, to);
  }
  return escaped;
}

std::string junit_report(const RunReport& report) {
  std::string text =
      cat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"", xml_text(report.title),
          "\" tests=\"", report.cases.size(), "\" failures=\"",
          report.count(CaseState::failed) + report.count(CaseState::waiting),
          "\" errors=\"0\" skipped=\"", report.count(CaseState::skipped), "\">\n");
  for (const ReportCase& each : report.cases) {
    text += test_case(report, each);
  }
  return text + "</testsuite>\n";
}

}  // namespace kubist::cli
