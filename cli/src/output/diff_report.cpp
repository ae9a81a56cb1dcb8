#include <kubist/cli/exit_codes.hpp>

#include "set_report.hpp"

namespace kubist::cli {

util::Result<int> print_diffs(Context& context, const apply::SetDiffs& diffs,
                              const std::vector<resources::Manifest>& manifests) {
  for (const apply::SetDiff& entry : diffs.objects) {
    context.out().write(entry.diff.text);
  }
  SetPrinter printer(context, SetFormat::json, "", manifests);
  for (const apply::ObjectResult& result : diffs.report.results) {
    if (!result.ok()) {
      printer.result(result);
    }
  }
  if (auto error = diffs.report.error()) {
    return util::fail(*std::move(error));
  }
  return diffs.differs() ? 1 : k_ok;
}

util::Result<int> diff_exit_code(Context& context, util::Result<int> code) {
  if (code || code.error().kind == util::ErrorKind::cancelled) {
    return code;
  }
  context.log().line("error: " + code.error().to_string());
  return code.error().kind == util::ErrorKind::usage ? k_usage : k_diff_error;
}

}  // namespace kubist::cli
