#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <kubist/apply/diff.hpp>
#include <kubist/apply/report.hpp>
#include <kubist/cli/context.hpp>
#include <kubist/resources/manifest.hpp>

namespace kubist::cli {

/// How the results of a run over a set of objects are shown.
enum class SetFormat {
  lines,  ///< "configmap/x created", as they come
  name,   ///< "configmap/x"
  json,   ///< the objects themselves, at the end
  yaml,
  report_json,  ///< one document about the run
  junit,
  github,  ///< workflow commands at file and line
};

/// The flag -o of commands that apply.
Flag set_output_flag();
/// The flag --report of every command that reports a run; `initial` is meant without it.
Flag report_flag(std::string_view initial = "text");
util::Result<SetFormat> set_format(const Arguments& arguments);
/// What a value of --report means: lines for "text".
SetFormat report_format(std::string_view report);

/// The run as the document that `format` names; nothing for the formats that have none.
std::string set_document(SetFormat format, const apply::Report& report,
                         const std::vector<resources::Manifest>& manifests);
/// The same of an error that ended a command before it had any result, where its --report asks for
/// a document: CI reads why.
std::string refusal_document(const Arguments& arguments, const util::Error& error);

/// "configmap/x", "deployment.apps/x", as kubectl -o name.
std::string display_name(const resources::ObjectRef& ref);

/// Prints results while they come and the rest when the run is over. Results go to out, what failed
/// and why to the log.
class SetPrinter {
 public:
  /// `suffix` follows each outcome: " (server dry run)". `manifests` gives positions; may be empty.
  SetPrinter(Context& context, SetFormat format, std::string suffix,
             const std::vector<resources::Manifest>& manifests);

  void result(const apply::ObjectResult& result);
  /// The end: documents, conflicts, what is not ready. The exit code, or the error that gives it.
  util::Result<int> finish(const apply::Report& report);

 private:
  util::SourcePos position(const apply::ObjectResult& result) const;
  void explain(const apply::ObjectResult& result);
  void explain_not_ready(const apply::Report& report);
  void objects(const apply::Report& report);

  Context& m_context;
  SetFormat m_format;
  std::string m_suffix;
  const std::vector<resources::Manifest>& m_manifests;
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
