#include "reconcile_input.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include <kubist/data/json_text.hpp>
#include <kubist/executors/prepare.hpp>

#include "apply_input.hpp"
#include "dry_run.hpp"
#include "input.hpp"
#include "output/set_documents.hpp"
#include "output/set_report.hpp"
#include "terminal/picture.hpp"

namespace kubist::cli {

using executors::ReconcileOptions;
using util::ErrorKind;

namespace {

std::vector<std::filesystem::path> local_paths(const Arguments& arguments) {
  std::vector<std::filesystem::path> paths;
  for (const std::string& path : input_paths(arguments)) {
    if (path != "-" && path.find("://") == std::string::npos) {
      paths.emplace_back(path);
    }
  }
  for (const std::string& folder : pattern_folders(arguments)) {
    paths.emplace_back(folder);  // what a pattern will mean
  }
  return paths;
}

}  // namespace

util::Result<apply::Report> ReconcileInput::apply_first(ReconcileOptions& options) {
  if (!m_arguments.words().empty()) {
    return util::fail(ErrorKind::usage, "-f and names cannot go together");
  }
  if (m_arguments.boolean("watch")) {
    KUBIST_TRY(m_files, executors::FollowedFiles::start(local_paths(m_arguments),
                                                        m_arguments.boolean("recursive")));
  }
  KUBIST_TRY(auto apply_with, apply_options(m_context, m_arguments));
  KUBIST_TRY(auto manifests, read_input(m_context, m_arguments));
  KUBIST_CHECK(m_files ? m_files->take(manifests) : util::Result<>{});
  apply_with.keep_objects = options.dry_run != kube::DryRun::none;
  // A report is that of the run, or that of the apply where no run follows.
  SetPrinter printer(m_context, line_format(m_context.reports()),
                     std::string(dry_run_suffix(options.dry_run)), manifests);
  apply_with.on_result = [&](const apply::ObjectResult& result) { printer.result(result); };
  KUBIST_TRY(auto report, apply_manifests(m_context, apply_with, manifests));
  if (!report.ok()) {
    KUBIST_CHECK(printer.finish(report));
  }
  KUBIST_TRY(const auto client, m_context.client());
  KUBIST_CHECK(executors::select_applied(*client, report, options, m_context.stop()));
  if (options.selection.empty()) {
    KUBIST_CHECK(printer.finish(report));
  }
  remember(report, manifests);
  return report;
}

/// What reports of later runs need of the files.
void ReconcileInput::remember(const apply::Report& report,
                              const std::vector<resources::Manifest>& manifests) {
  if (!m_context.reports().any()) {
    return;
  }
  m_places.clear();
  m_applied = set_report_json(report, manifests)["results"];
  m_cases = set_report(report, manifests, {}).cases;
  m_refs.clear();
  for (const apply::ObjectResult& result : report.results) {
    if (result.index < manifests.size()) {
      m_places[result.ref] = manifests[result.index].pos;
    }
    m_refs.push_back(result.ref);
  }
}

RunReport ReconcileInput::report(const executors::Run& run) const {
  RunReport made = run_report(run, m_places);
  if (!m_arguments.given("filename")) {
    return made;
  }
  for (std::size_t i = 0; i < m_refs.size(); ++i) {
    if (run.graph->find(m_refs[i]).empty()) {
      made.cases.push_back(m_cases[i]);
    }
  }
  if (m_refused) {
    const RunReport refusal = refusal_report(*m_refused);
    made.cases.insert(made.cases.end(), refusal.cases.begin(), refusal.cases.end());
  }
  made.json = [this, &run] {
    data::Json document = run_json(run, m_places);
    document["applied"] = m_applied;
    if (m_refused) {
      document["errors"] = refusal_json(*m_refused)["errors"];
    }
    return data::to_indented_json(document);
  };
  return made;
}

util::Result<apply::Report> ReconcileInput::apply_again(
    std::vector<resources::Manifest>& manifests) {
  KUBIST_TRY(const auto apply_with, apply_options(m_context, m_arguments));
  KUBIST_TRY(auto report, apply_manifests(m_context, apply_with, manifests));
  const std::lock_guard lock(m_output);
  m_context.picture().aside([&] {
    SetPrinter printer(m_context, line_format(m_context.reports()), {}, manifests);
    for (const apply::ObjectResult& result : report.results) {
      if (result.outcome != apply::Outcome::unchanged) {
        printer.result(result);
      }
    }
    m_context.out().flush();
  });
  remember(report, manifests);
  m_partly = !report.ok();
  return report;
}

/// Input that changed nothing is told of, also by the reports, until there is better input: else
/// these would go on saying what the last run came to.
void ReconcileInput::refuse(const util::Error& error) {
  const std::lock_guard lock(m_output);
  m_refused = error;
  m_context.picture().aside([&] {
    Reports& reports = m_context.reports();
    if (reports.any()) {
      RunReport report = refusal_report(error);
      std::copy_if(
          m_cases.begin(), m_cases.end(), std::back_inserter(report.cases),
          [&](const ReportCase& one) { return m_partly && one.state != CaseState::passed; });
      reports.deliver(std::move(report), m_context.out());
    }
    if (!reports.annotated()) {
      m_context.log().line(error.to_string());
    }
  });
  m_partly = false;
}

util::Result<> ReconcileInput::watch(executors::Session& session, const ReconcileOptions& options,
                                     engine::Observer& observer, executors::WatchHooks hooks) {
  hooks.finished = [this, finished = hooks.finished](const executors::Run& run) {
    const std::lock_guard lock(m_output);
    finished(run);
  };
  const executors::FileHooks files{
      .read = [this] { return read_input(m_context, m_arguments); },
      .apply = [this](auto& manifests) { return apply_again(manifests); },
      .refused = [this](const util::Error& error) { refuse(error); },
      .mended =
          [this] {
            const std::lock_guard lock(m_output);
            m_refused.reset();
            return m_context.reports().any();
          }};
  auto watched = m_files->watch(session, options, observer, hooks, files, m_context.stop());
  if (!watched && m_context.reports().delivered()) {  // else those go on saying what a run came to
    m_context.reports().deliver(refusal_report(watched.error()), m_context.out());
  }
  return watched;
}

}  // namespace kubist::cli
