#pragma once
#include <memory>
#include <string>

#include <kubist/cli/context.hpp>
#include <kubist/executors/session.hpp>

#include "output/run_record.hpp"
#include "report/report.hpp"

namespace kubist::cli {

/// What --report html shows of a run beside its report; does nothing where nobody asked for it.
class RunPage {
 public:
  /// The context outlives it.
  explicit RunPage(Context& context);
  /// Before the run: it is followed, and its writes are noted with what they change.
  std::unique_ptr<engine::Observer> follow(executors::ReconcileOptions& options,
                                           std::unique_ptr<engine::Observer> observer);
  /// After it: reads the run's releases as they are now.
  void add_to(RunReport& report, const executors::Run& run);

 private:
  Context& m_context;
  const bool m_wanted;
  RunRecord m_record;
};

}  // namespace kubist::cli
