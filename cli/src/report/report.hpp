#pragma once
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/util/error.hpp>

/// What a command came to, for CI: one record, and the documents that are made of it.
namespace kubist::cli {

enum class CaseState {
  passed,
  failed,
  waiting,  ///< not ready yet, and nothing says that it failed
  skipped,
};

/// One thing that a command was about: an object, a resource of the tree, a case, or an error.
struct ReportCase {
  std::string group;    ///< "Project", "policy"; empty: of the command as a whole
  std::string name;     ///< "project.kubist.io/shop"; empty: its position, or the command
  util::SourcePos pos;  ///< where the input has it; empty: nowhere
  CaseState state = CaseState::passed;
  std::string reason;   ///< of what did not pass: a word such as "Conflict"
  std::string message;  ///< why, in a line
  std::string details;  ///< more of it: what to do, what was expected; may be empty
  std::chrono::nanoseconds took{0};
  bool in_parts = false;  ///< RunReport::html has it, too

  /// Is it something to mend, which skipped is not?
  bool is_finding() const { return state == CaseState::failed || state == CaseState::waiting; }
  /// "file:line:column", message and details, a line each.
  std::string text() const;
};

/// The one source of all forms of --report.
struct RunReport {
  std::string title = {};              ///< "kubist apply"
  std::string input = {};              ///< the first of -f; empty: there is none
  std::vector<ReportCase> cases = {};  ///< a document of no case has one that passed
  /// The forms that have more than the cases: text, as people read it, json, and html, which are
  /// parts of the page; without those it lists the cases.
  std::function<std::string()> text = {};
  std::function<std::string()> json = {};
  std::function<std::string()> html = {};

  std::size_t count(CaseState state) const;
};

/// What went wrong, as a case: failed, with the error's reason, or its kind as one.
ReportCase error_case(const util::Error& error);

/// All forms that --report takes.
const std::vector<std::string_view>& report_forms();
/// The report in one of them. REQUIRES: `form` is one, and the report has a case.
std::string report_document(std::string_view form, const RunReport& report);

/// One <testsuite>, in the form that Jenkins' and GitLab's readers share. What XML cannot hold
/// (control characters) is shown as printable text.
std::string junit_report(const RunReport& report);
/// As text or an attribute's value of XML.
std::string xml_text(std::string_view text);
/// SARIF 2.1.0: a result for each finding.
std::string sarif_report(const RunReport& report);
/// GitLab's Code Quality: an issue for each finding.
std::string gitlab_report(const RunReport& report);
/// GitHub's workflow commands: an annotation for each finding; of none a notice that says so.
std::string github_report(const RunReport& report);
/// Markdown for the summary of a step of a GitHub workflow.
std::string github_summary(const RunReport& report);

/// One page that stands by itself, for people: what went wrong and what to do, and the rest.
std::string html_report(const RunReport& report);

}  // namespace kubist::cli
