#include <algorithm>

#include <kubist/data/json_text.hpp>
#include <kubist/util/text.hpp>

#include "report/place.hpp"
#include "report/report.hpp"

namespace kubist::cli {

using data::Json;

// https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
// An issue needs a place: of one that has none it is the input's first line.
std::string gitlab_report(const RunReport& report) {
  Json issues = Json::array();
  for (const auto& [each, digest] : findings(report)) {
    const bool placed = !each->pos.origin.empty();
    const std::string path =
        util::printable(repository_path(placed ? each->pos.origin : report.input));
    const Json begin{{"line", std::max<std::size_t>(each->pos.line, 1)},
                     {"column", std::max<std::size_t>(each->pos.column, 1)}};
    issues.push_back(
        {{"check_name", util::printable(each->reason)},
         {"description",
          util::printable(each->name.empty() ? each->message
                                             : util::cat(each->name, ": ", each->message))},
         {"fingerprint", digest},
         {"severity", each->state == CaseState::failed ? "major" : "minor"},
         {"location",
          {{"path", path.empty() ? "." : path},
           {"positions", {{"begin", begin}, {"end", begin}}}}}});
  }
  return data::to_kubectl_json(issues);
}

}  // namespace kubist::cli
