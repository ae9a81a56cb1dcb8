#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/apply/diff.hpp>
#include <kubist/apply/report.hpp>
#include <kubist/cli/context.hpp>
#include <kubist/resources/manifest.hpp>

#include "report/reports.hpp"

namespace kubist::cli {

/// How the results of a run over a set of objects are shown.
enum class SetFormat {
  lines,    ///< "configmap/x created", as they come
  name,     ///< "configmap/x"
  objects,  ///< the objects themselves, at the end, as -o says
  nothing,  ///< a report is in place of them
};

/// The flag -o of commands that apply.
Flag set_output_flag();
/// What -o and --report say of results. Usage: both want to be in place of the lines.
util::Result<SetFormat> set_format(const Arguments& arguments, const Reports& reports);
/// Lines, but where a report is in their place.
SetFormat line_format(const Reports& reports);

/// "configmap/x", "deployment.apps/x", as kubectl -o name.
std::string display_name(const resources::ObjectRef& ref);

/// Of objects that come from no file.
const std::vector<resources::Manifest>& no_manifests();

/// Prints results while they come and the rest when the run is over. Results go to out, what failed
/// and why to the log.
class SetPrinter {
 public:
  /// `suffix` follows each outcome: " (server dry run)". `manifests` gives positions and
  /// outlives this.
  SetPrinter(Context& context, SetFormat format, std::string suffix,
             const std::vector<resources::Manifest>& manifests);

  void result(const apply::ObjectResult& result);
  /// A line about the work beside the results, for people.
  void line(std::string_view text);
  /// The end: documents, what is not ready, the reports. The exit code, or the error that gives it.
  /// `amend` may change what is reported.
  util::Result<int> finish(const apply::Report& report,
                           const std::function<void(RunReport&)>& amend = {});

 private:
  void log(const std::string& text);
  util::SourcePos position(const apply::ObjectResult& result) const;
  void explain(const apply::ObjectResult& result);
  void explain_not_ready(const apply::Report& report);
  util::Result<> objects(const apply::Report& report);

  Context& m_context;
  SetFormat m_format;
  std::string m_suffix;
  const std::vector<resources::Manifest>& m_manifests;
  std::string m_text;  ///< what people read
};

/// What `diff -o json` prints: each object that differs or failed, as in a report, with the paths
/// that would change and the text that people get. Secrets are masked.
data::Json diffs_json(const apply::SetDiffs& diffs,
                      const std::vector<resources::Manifest>& manifests);
/// What `diff` prints: each difference, or the document that -o asks for; and what went wrong. The
/// exit code 0 or 1, or an error.
util::Result<int> print_diffs(Context& context, const apply::SetDiffs& diffs,
                              const std::vector<resources::Manifest>& manifests);
/// The exit code that `diff` gives for an error, which it has of its own; prints it.
util::Result<int> diff_exit_code(Context& context, util::Result<int> code);

}  // namespace kubist::cli
