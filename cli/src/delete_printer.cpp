#include "delete_printer.hpp"

#include <kubist/util/text.hpp>

#include "output/run_report.hpp"
#include "session.hpp"

namespace kubist::cli {

using apply::ObjectResult;
using apply::Outcome;
using engine::NodeReport;
using engine::NodeState;
using util::cat;

DeletionPrinter::DeletionPrinter(Context& context, bool names, bool force, std::string suffix,
                                 const std::vector<resources::Manifest>& manifests)
    : m_context(context),
      m_names(names),
      m_force(force),
      m_suffix(std::move(suffix)),
      m_printer(context, names ? SetFormat::name : SetFormat::lines, m_suffix, manifests) {}

void DeletionPrinter::result(const ObjectResult& result) {
  const bool is_gone = result.outcome == Outcome::deleted;
  if (!result.ok() || (m_names && is_gone)) {
    m_printer.result(result);
  } else if (is_gone) {
    const auto name = display_name(result.ref);
    const std::string& ns = result.ref.ns;
    m_context.out().write(cat(name.substr(0, name.find('/')), " \"", result.ref.name, "\" ",
                              m_force ? "force deleted" : "deleted", m_suffix,
                              ns.empty() ? "" : cat(" from ", ns, " namespace"), '\n'));
    m_context.out().flush();
  }
}

void DeletionPrinter::note(const std::string& text) {
  if (m_names) {
    m_context.log().line(text);
  } else {
    m_context.out().write(cat(text, '\n'));
  }
}

TreePrinter::TreePrinter(Context& context, const Arguments& arguments, bool dry,
                         DeletionPrinter& printer)
    : ProgressLines(context.log()),
      m_context(context),
      m_form(arguments.text("report")),
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
  if (m_form.empty() && m_gone.insert(key).second) {
    ObjectResult result;
    result.ref = key;
    result.outcome = Outcome::deleted;
    m_printer.result(result);
  }
}

int TreePrinter::run(const executors::Run& run) {
  warn(m_context, run);
  if (!m_form.empty()) {
    print_run(run, m_form, m_context.out_color(), m_context.out());
    m_context.out().flush();
  } else {
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
    m_context.log().line("What cannot be reached or undone any more is let go by --abandon.");
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
