#pragma once
#include <string>
#include <vector>

#include <kubist/apply/report.hpp>
#include <kubist/resources/manifest.hpp>

namespace kubist::cli {

/// One object of a run: what it is, what became of it and why, and its position in the input.
data::Json set_result_json(const apply::ObjectResult& result,
                           const std::vector<resources::Manifest>& manifests);
/// The run as one JSON document: results with positions, counts, what is not ready, errors.
std::string set_report_json(const apply::Report& report,
                            const std::vector<resources::Manifest>& manifests);
/// As JUnit XML: a test case an object.
std::string set_report_junit(const apply::Report& report,
                             const std::vector<resources::Manifest>& manifests);
/// One GitHub workflow command: an error, at its file and line where `pos` has them.
std::string github_annotation(const util::SourcePos& pos, std::string_view text);
/// As GitHub workflow commands: one ::error a failure, at its file and line.
std::string set_report_github(const apply::Report& report,
                              const std::vector<resources::Manifest>& manifests);

}  // namespace kubist::cli
