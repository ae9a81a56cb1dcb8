#include "reconcile_input.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <kubist/data/json_text.hpp>
#include <kubist/executors/prepare.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "apply_input.hpp"
#include "dry_run.hpp"
#include "input.hpp"
#include "output/set_documents.hpp"
#include "output/set_report.hpp"
#include "terminal/picture.hpp"

namespace kubist::cli {

using engine::Key;
using executors::ReconcileOptions;
using util::ErrorKind;

namespace {

/// Files that were written together are read together; an editor that replaces a file by renaming
/// leaves it away for less.
constexpr std::chrono::milliseconds k_quiet{500};

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

/// The files that those of -f name.
std::vector<std::filesystem::path> named_files(const std::vector<resources::Manifest>& manifests) {
  std::vector<std::filesystem::path> paths;
  for (const resources::Manifest& manifest : manifests) {
    if (!manifest.source_file.empty()) {
      paths.emplace_back(manifest.source_file);
    }
  }
  return paths;
}

std::vector<data::Json> objects_of(const std::vector<resources::Manifest>& manifests) {
  std::vector<data::Json> objects;
  for (const resources::Manifest& manifest : manifests) {
    objects.push_back(manifest.object);
  }
  return objects;
}

/// Does a loop that watches `selection` see what becomes of that resource?
bool is_watched(const ReconcileOptions& options, const Key& key) {
  const auto& selection = options.selection;
  return std::any_of(selection.begin(), selection.end(), [&](const Key& each) {
    // A DeployItem may be of no project, and then counts where it is named only.
    const bool in_project = each.kind == "Project" ? each.name == key.ns
                                                   : each.ns == key.ns && key.kind != "DeployItem";
    return each == key || (!key.ns.empty() && in_project);
  });
}

}  // namespace

util::Result<apply::Report> ReconcileInput::apply_first(ReconcileOptions& options) {
  if (!m_arguments.words().empty()) {
    return util::fail(ErrorKind::usage, "-f and names cannot go together");
  }
  if (m_arguments.boolean("watch")) {
    KUBIST_TRY(m_files,
               util::PathWatch::start(local_paths(m_arguments), m_arguments.boolean("recursive")));
  }
  KUBIST_TRY(auto apply_with, apply_options(m_context, m_arguments));
  KUBIST_TRY(auto manifests, read_input(m_context, m_arguments));
  KUBIST_CHECK(m_files ? m_files->also(named_files(manifests)) : util::Result<>{});
  m_objects = objects_of(manifests);
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

/// The selection becomes what the files describe now; empty where they say the same as before.
util::Result<> ReconcileInput::apply_again(ReconcileOptions& options) {
  options.selection.clear();
  m_partly = false;
  KUBIST_TRY(auto apply_with, apply_options(m_context, m_arguments));
  KUBIST_TRY(auto manifests, read_input(m_context, m_arguments));
  KUBIST_CHECK(m_files->also(named_files(manifests)));
  auto objects = objects_of(manifests);
  if (objects == m_objects) {
    return {};
  }
  m_objects.clear();  // where not all of it is applied, the next change tries all again
  KUBIST_TRY(const apply::Report report, apply_manifests(m_context, apply_with, manifests));
  {
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
  }
  if (const auto error = report.error()) {
    m_partly = true;
    return util::fail(*error);
  }
  m_objects = std::move(objects);
  KUBIST_TRY(const auto client, m_context.client());
  return executors::select_applied(*client, report, options, m_context.stop());
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
}

/// Was the input before that one refused?
bool ReconcileInput::accept() {
  const std::lock_guard lock(m_output);
  return std::exchange(m_refused, std::nullopt).has_value();
}

/// Until the loop is to stop, or must be begun anew with what was `found`. An error: the files are
/// not watched any more.
util::Result<> ReconcileInput::follow(const ReconcileOptions& options, std::vector<Key>& found,
                                      std::stop_source& loop) {
  while (!loop.stop_requested()) {
    KUBIST_TRY(const bool changed, m_files->wait(k_quiet, loop.get_token()));
    if (!changed) {
      break;
    }
    ReconcileOptions again;
    const auto applied = util::guarded([&] { return apply_again(again); });
    if (loop.stop_requested()) {
      break;
    }
    if (!applied) {
      refuse(applied.error());
    }
    for (const Key& key : again.selection) {
      if (!is_watched(options, key)) {
        found.push_back(key);
      }
    }
    // Who made up for input that was refused may have changed nothing: a run says that all is well.
    if ((applied && accept() && m_context.reports().any()) || !found.empty()) {
      loop.request_stop();
    }
  }
  return {};
}

util::Result<> ReconcileInput::watch(executors::Session& session, ReconcileOptions options,
                                     engine::Observer& observer, executors::WatchHooks hooks) {
  hooks.finished = [this, finished = hooks.finished](const executors::Run& run) {
    const std::lock_guard lock(m_output);
    finished(run);
  };
  for (;;) {
    std::stop_source loop;
    const std::stop_callback on_stop(m_context.stop(), [&] { loop.request_stop(); });
    std::vector<Key> found;
    util::Result<> followed;
    KUBIST_TRY(std::jthread follower, util::start_thread([&](const std::stop_token&) {
                 followed = util::guarded([&] { return follow(options, found, loop); });
                 loop.request_stop();
               }));
    const auto ended =
        executors::watch_and_reconcile(session, options, observer, hooks, loop.get_token());
    loop.request_stop();
    follower.join();
    KUBIST_CHECK(ended);
    if (m_context.stop().stop_requested()) {
      return {};
    }
    if (!followed) {  // it would keep the cluster as files say that nobody reads
      const util::Error error =
          util::with_context(followed.error(), "the files of -f are not watched any more");
      m_context.reports().deliver(refusal_report(error), m_context.out());
      return util::fail(error);
    }
    options.selection.insert(options.selection.end(), found.begin(), found.end());
    options.outside.named.insert(found.begin(), found.end());
  }
}

}  // namespace kubist::cli
