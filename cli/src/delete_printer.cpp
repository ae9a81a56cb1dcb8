#include "delete_printer.hpp"

#include <kubist/data/json_text.hpp>
#include <kubist/util/text.hpp>

#include "error_text.hpp"
#include "output/set_documents.hpp"
#include "session.hpp"

namespace kubist::cli {

using apply::ObjectResult;
using apply::Outcome;
using data::Json;
using engine::NodeReport;
using engine::NodeState;
using util::cat;

namespace {
constexpr std::string_view k_text = "text";
}

DeletionPrinter::DeletionPrinter(Context& context, bool names, bool force, std::string suffix,
                                 Places places)
    : m_context(context),
      m_names(names),
      m_force(force),
      m_suffix(std::move(suffix)),
      m_places(std::move(places)),
      m_printer(context, names ? SetFormat::name : line_format(context.reports()), m_suffix,
                no_manifests()) {}

void DeletionPrinter::result(const ObjectResult& result) {
  const bool is_gone = result.outcome == Outcome::deleted;
  if (!result.ok() || (m_names && is_gone)) {
    m_printer.result(result);
  } else if (is_gone) {
    const auto name = display_name(result.ref);
    const std::string& ns = result.ref.ns;
    m_printer.line(cat(name.substr(0, name.find('/')), " \"", result.ref.name, "\" ",
                       m_force ? "force deleted" : "deleted",
                       ns.empty() ? "" : cat(" from ", ns, " namespace"), m_suffix, '\n'));
    m_context.out().flush();
  }
}

void DeletionPrinter::note(const std::string& text) {
  if (m_names) {
    m_context.log().line(text);
  } else {
    m_printer.line(cat(text, '\n'));
  }
}

void DeletionPrinter::ran(const executors::Run& run) {
  const RunReport made = run_report(run, m_places);
  m_tree_cases = made.cases;
  m_tree_json = run_json(run, m_places);
  for (const NodeReport& node : run.report.nodes) {
    m_tree.insert(node.key);
  }
}

util::Result<int> DeletionPrinter::finish(const apply::Report& report) {
  m_deletes = m_deletes || changes_objects(report);
  return m_printer.finish(report, [&](RunReport& made) { amend(report, made); });
}

void DeletionPrinter::failed(const util::Error& error) {
  apply::Report report;
  report.errors.push_back(error);
  RunReport made = set_report(report, no_manifests(), cat(error_text(error), '\n'));
  amend(report, made);
  m_context.reports().deliver(std::move(made), m_context.out());
}

/// Objects of the tree are told of by the run, and all have the places that the input gives them.
void DeletionPrinter::amend(const apply::Report& report, RunReport& made) {
  std::vector<ReportCase> cases = m_tree_cases;
  for (std::size_t i = 0; i < made.cases.size(); ++i) {
    const bool is_object = i < report.results.size();
    if (is_object && m_tree.contains(report.results[i].ref)) {
      continue;
    }
    cases.push_back(std::move(made.cases[i]));
    if (const auto place = is_object ? m_places.find(report.results[i].ref) : m_places.end();
        place != m_places.end() && cases.back().pos.origin.empty()) {
      cases.back().pos = place->second;
    }
  }
  made.cases = std::move(cases);
  made.json = [this, &report] {
    Json document = set_report_json(report, no_manifests());
    for (std::size_t i = 0; i < report.results.size(); ++i) {
      if (const auto place = m_places.find(report.results[i].ref); place != m_places.end()) {
        add_position(document["results"][i], place->second);
      }
    }
    if (!m_tree_json.is_null()) {
      document["run"] = m_tree_json;
    }
    return data::to_kubectl_json(document);
  };
}

TreePrinter::TreePrinter(Context& context, const Arguments& arguments, bool dry,
                         DeletionPrinter& printer)
    : ProgressLines(context.log()),
      m_context(context),
      m_form(context.reports().in_place()),
      m_abandon(arguments.boolean("abandon")),
      m_dry(dry),
      m_printer(printer) {}

void TreePrinter::finished(const engine::Node& node, const NodeReport& report) {
  ProgressLines::finished(node, report);
  if (report.mode == engine::Mode::remove && report.state == NodeState::done && report.ready) {
    gone(node.key);
  }
}

void TreePrinter::gone(const engine::Key& key) {
  if (m_form != k_text && m_gone.insert(key).second) {
    ObjectResult result;
    result.ref = key;
    result.outcome = Outcome::deleted;
    m_printer.result(result);
  }
}

int TreePrinter::run(const executors::Run& run) {
  warn(m_context, run);
  m_printer.ran(run);
  if (m_form == k_text) {
    print_run(run, m_context.out_color(), m_context.out());
    m_context.out().flush();
  } else if (m_form.empty()) {
    print_left_behind(run, m_context.out());
    note_what_runs(run);
  }
  for (const NodeReport& node : run.report.nodes) {
    if (!(node.state == NodeState::done && node.ready) && node.state != NodeState::failed) {
      m_context.log().line(cat("not deleted: ", engine::to_string((*run.graph)[node.id]), ": ",
                               node.reason, node.message.empty() ? "" : ": ", node.message));
    }
  }
  m_context.log().line(summary_line(run.report));
  if (run.report.summary.failed > 0 && !m_abandon) {
    m_context.log().line("--abandon releases what cannot be reached or undone.");
  }
  return exit_code_of(run);
}

/// A dry run says what the deletion of DeployItems would run.
void TreePrinter::note_what_runs(const executors::Run& run) {
  for (const NodeReport& node : run.report.nodes) {
    const bool has_items = node.key.kind == "Execution" || node.key.kind == "DeployItem";
    if (m_dry && has_items && !node.message.empty()) {
      m_printer.note(
          cat(engine::to_string((*run.graph)[node.id]), ": ", util::printable(node.message)));
    }
  }
}

}  // namespace kubist::cli
