#pragma once
#include <mutex>
#include <optional>
#include <vector>

#include <kubist/apply/report.hpp>
#include <kubist/cli/context.hpp>
#include <kubist/executors/followed_files.hpp>

#include "output/run_report.hpp"

namespace kubist::cli {

/// The files of `reconcile -f`: applied before the run, and with --watch again each time that they
/// change. What they describe is what is reconciled.
class ReconcileInput {
 public:
  /// The context and the arguments outlive it.
  ReconcileInput(Context& context, const Arguments& arguments)
      : m_context(context), m_arguments(arguments) {}

  /// Applies the files; what they describe, and what was pruned, becomes the selection, in a dry
  /// run also as it would be then. The selection is empty where there is nothing in them to
  /// reconcile. With --watch, changes from here on are seen.
  util::Result<apply::Report> apply_first(executors::ReconcileOptions& options);

  /// The report of a run: with the places of what the files describe, and a case for each of their
  /// objects that is no resource of the tree. The run and this outlive it.
  RunReport report(const executors::Run& run) const;

  /// After apply_first(): as FollowedFiles::watch(). Input that cannot be read or applied is told
  /// of, also by the reports. `hooks.finished` is never called while this writes to the context's
  /// output.
  util::Result<> watch(executors::Session& session, const executors::ReconcileOptions& options,
                       engine::Observer& observer, executors::WatchHooks hooks);

 private:
  util::Result<apply::Report> apply_again(std::vector<resources::Manifest>& manifests);
  void remember(const apply::Report& report, const std::vector<resources::Manifest>& manifests);
  void refuse(const util::Error& error);

  Context& m_context;
  const Arguments& m_arguments;
  std::optional<executors::FollowedFiles> m_files;  ///< with --watch
  // Of what was applied last, one entry an object; guarded by m_output while watching.
  Places m_places;
  std::vector<resources::ObjectRef> m_refs;
  std::vector<ReportCase> m_cases;
  data::Json m_applied;
  std::optional<util::Error> m_refused;  ///< of the input that was read last, while watching
  bool m_partly = false;                 ///< of that, some of m_cases could not be applied
  std::mutex m_output;
};

}  // namespace kubist::cli
