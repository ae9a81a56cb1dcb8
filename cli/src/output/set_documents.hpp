#pragma once
#include <string>
#include <vector>

#include <kubist/apply/report.hpp>
#include <kubist/resources/manifest.hpp>

#include "report/report.hpp"

namespace kubist::cli {

/// Its file, line and column, where it has them.
void add_position(data::Json& entry, const util::SourcePos& pos);
/// One object of a run: what it is, what became of it and why, and its position in the input.
data::Json set_result_json(const apply::ObjectResult& result,
                           const std::vector<resources::Manifest>& manifests);
/// The run as one JSON document: results with positions, counts, what is not ready, errors.
data::Json set_report_json(const apply::Report& report,
                           const std::vector<resources::Manifest>& manifests);

/// The run for --report: a case an object, and one for each that is not ready and each error.
/// Both outlive it; `text` is what people read of it.
RunReport set_report(const apply::Report& report, const std::vector<resources::Manifest>& manifests,
                     std::string text);
/// The same of an error that ended a command before it had any result: a case for each of its
/// details, where the input had several.
RunReport refusal_report(const util::Error& error);
/// Its JSON document.
data::Json refusal_json(const util::Error& error);

}  // namespace kubist::cli
