#pragma once
#include <string>
#include <vector>

#include <kubist/apply/remove.hpp>
#include <kubist/cli/context.hpp>

#include "dry_run.hpp"
#include "output/set_report.hpp"

namespace kubist::cli {

/// Prints the results of a deletion in kubectl's words.
class DeletionPrinter {
 public:
  DeletionPrinter(Context& context, bool names, bool force, std::string suffix,
                  const std::vector<resources::Manifest>& manifests);
  void result(const apply::ObjectResult& result);
  /// A line beside the results; where only names are printed it goes to the log.
  void note(const std::string& text);
  /// SetPrinter::finish().
  util::Result<int> finish(const apply::Report& report) {
    m_deletes = m_deletes || changes_objects(report);
    return m_printer.finish(report);
  }
  /// Has a report that it finished deleted something, or would it?
  bool deletes() const { return m_deletes; }

 private:
  Context& m_context;
  bool m_names;
  bool m_force;
  std::string m_suffix;
  SetPrinter m_printer;
  bool m_deletes = false;
};

/// A deletion in which objects of the tree take part.
struct TreeDeletion {
  const std::vector<apply::Target>& tree;    ///< executors::is_removed_by_engine(); not empty
  const std::vector<apply::Target>& others;  ///< everything else of the same call
  const apply::RemoveOptions& options;
  DeletionPrinter& printer;
};

/// Deletes a part of the tree: requests the deletion of what was named, then runs the engine until
/// it and all below it is gone; the other objects follow, since what is in the tree may need them,
/// and only when nothing of it is left. Results go to out as `delete` prints them (or the whole run
/// as --report says), progress and what was not done to the log. The exit code, or the error that
/// gives it: timeout, cancelled, a failure.
util::Result<int> delete_with_tree(Context& context, const Arguments& arguments,
                                   const TreeDeletion& deletion);

}  // namespace kubist::cli
