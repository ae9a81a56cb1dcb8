#pragma once
#include <set>
#include <string>
#include <vector>

#include <kubist/cli/context.hpp>
#include <kubist/executors/session.hpp>

#include "dry_run.hpp"
#include "output/progress_lines.hpp"
#include "output/run_report.hpp"
#include "output/set_report.hpp"

namespace kubist::cli {

/// Prints the results of a deletion in kubectl's words, and reports it.
class DeletionPrinter {
 public:
  /// `places`: of the objects that files name.
  DeletionPrinter(Context& context, bool names, bool force, std::string suffix, Places places);
  void result(const apply::ObjectResult& result);
  /// A line beside the results; where only names are printed it goes to the log.
  void note(const std::string& text);
  /// The engine's run, which is a part of the report.
  void ran(const executors::Run& run);
  /// SetPrinter::finish().
  util::Result<int> finish(const apply::Report& report);
  /// The end by an error, with no report of the objects.
  void failed(const util::Error& error);
  /// Has a report that it finished deleted something, or would it?
  bool deletes() const { return m_deletes; }

 private:
  void amend(const apply::Report& report, RunReport& made);

  Context& m_context;
  bool m_names;
  bool m_force;
  std::string m_suffix;
  Places m_places;
  SetPrinter m_printer;
  std::set<engine::Key> m_tree;
  std::vector<ReportCase> m_tree_cases;
  data::Json m_tree_json;
  bool m_deletes = false;
};

/// Prints what the engine does of a deletion: each object of the tree when it is gone, or the whole
/// run as --report says; progress and what was not done go to the log.
class TreePrinter final : public ProgressLines {
 public:
  TreePrinter(Context& context, const Arguments& arguments, bool dry, DeletionPrinter& printer);
  void finished(const engine::Node& node, const engine::NodeReport& report) override;
  /// Once for each object, whoever took it away.
  void gone(const engine::Key& key);
  /// The exit code of the run.
  int run(const executors::Run& run);

 private:
  void note_what_runs(const executors::Run& run);

  Context& m_context;
  const std::string m_form;
  const bool m_abandon;
  const bool m_dry;
  DeletionPrinter& m_printer;
  std::set<engine::Key> m_gone;
};

}  // namespace kubist::cli
