#include "report/report.hpp"

#include <algorithm>
#include <array>

#include <kubist/util/text.hpp>

#include "error_text.hpp"

namespace kubist::cli {

using util::cat;

namespace {

using Form = std::string (*)(const RunReport&);

struct NamedForm {
  std::string_view name;
  Form make;
};

constexpr auto k_named_forms = std::to_array<NamedForm>({
    {"text", [](const RunReport& report) { return report.text(); }},
    {"json", [](const RunReport& report) { return report.json(); }},
    {"junit", junit_report},
    {"sarif", sarif_report},
    {"github", github_report},
    {"gitlab", gitlab_report},
    {"html", html_report},
});

/// "not_found" as reasons are written: "NotFound".
std::string reason_of(util::ErrorKind kind) {
  std::string reason;
  for (const std::string& word : util::split(std::string(util::to_string(kind)), '_')) {
    reason += cat(static_cast<char>(word[0] - 'a' + 'A'), std::string_view(word).substr(1));
  }
  return reason;
}

}  // namespace

std::string ReportCase::text() const {
  std::string text = pos.origin.empty() ? message : cat(util::to_string(pos), ": ", message);
  if (!details.empty()) {
    text += cat('\n', details);
  }
  return text;
}

std::size_t RunReport::count(CaseState state) const {
  return static_cast<std::size_t>(std::count_if(
      cases.begin(), cases.end(), [&](const ReportCase& each) { return each.state == state; }));
}

ReportCase error_case(const util::Error& error) {
  ReportCase entry;
  entry.pos = error.pos;
  entry.state = CaseState::failed;
  entry.reason = error.reason.empty() ? reason_of(error.kind) : error.reason;
  entry.message = error_message(error);
  entry.details = error.hint;
  return entry;
}

const std::vector<std::string_view>& report_forms() {
  static const auto forms = [] {
    std::vector<std::string_view> names;
    for (const NamedForm& form : k_named_forms) {
      names.push_back(form.name);
    }
    return names;
  }();
  return forms;
}

std::string report_document(std::string_view form, const RunReport& report) {
  const auto found = std::find_if(k_named_forms.begin(), k_named_forms.end(),
                                  [&](const NamedForm& each) { return each.name == form; });
  return found->make(report);
}

}  // namespace kubist::cli
