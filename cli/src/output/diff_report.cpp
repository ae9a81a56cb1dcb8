#include <kubist/cli/exit_codes.hpp>
#include <kubist/util/text.hpp>

#include "../error_text.hpp"
#include "document.hpp"
#include "external_diff.hpp"
#include "set_documents.hpp"
#include "set_report.hpp"

namespace kubist::cli {

using data::Json;

namespace {

std::string_view word_of(resources::ChangedPath::Change change) {
  using Change = resources::ChangedPath::Change;
  return change == Change::added ? "added" : change == Change::removed ? "removed" : "replaced";
}

}  // namespace

Json diffs_json(const apply::SetDiffs& diffs, const std::vector<resources::Manifest>& manifests) {
  Json document{{"differs", diffs.differs()}, {"objects", Json::array()}};
  for (const apply::SetDiff& each : diffs.objects) {
    if (each.diff.text.empty() && each.result.ok()) {
      continue;
    }
    Json entry = set_result_json(each.result, manifests);
    entry.erase("written");  // a dry run
    entry["changes"] = Json::array();
    for (const resources::ChangedPath& changed : each.diff.paths) {
      entry["changes"].push_back({{"path", changed.path}, {"change", word_of(changed.change)}});
    }
    entry["diff"] = each.diff.text;
    document["objects"].push_back(std::move(entry));
  }
  return document;
}

util::Result<int> print_diffs(Context& context, const apply::SetDiffs& diffs,
                              const std::vector<resources::Manifest>& manifests) {
  KUBIST_TRY(const bool printed, print_document(context, diffs_json(diffs, manifests)));
  const std::vector<std::string> program = printed ? std::vector<std::string>{} : external_diff();
  bool differs = diffs.differs();
  if (!program.empty() && differs) {
    KUBIST_TRY(differs, compare_by(context, program, diffs));
  }
  for (const apply::SetDiff& entry : diffs.objects) {
    context.out().write(printed || !program.empty() ? "" : entry.diff.text);
    if (entry.taken_over) {
      context.log().line(util::cat(display_name(entry.result.ref),
                                   ": apply takes it over from client-side kubectl apply: fields "
                                   "that left the file go, too"));
    }
  }
  SetPrinter printer(context, SetFormat::objects, "", manifests);
  for (const apply::ObjectResult& result : diffs.report.results) {
    if (!result.ok()) {
      printer.result(result);
    }
  }
  if (auto error = diffs.report.error()) {
    return util::fail(*std::move(error));
  }
  return differs ? 1 : k_ok;
}

util::Result<int> diff_exit_code(Context& context, util::Result<int> code) {
  if (code || code.error().kind == util::ErrorKind::cancelled) {
    return code;
  }
  context.log().line(error_text(code.error()));
  return code.error().kind == util::ErrorKind::usage ? k_usage : k_diff_error;
}

}  // namespace kubist::cli
