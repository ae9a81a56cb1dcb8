#include "delete_tree.hpp"

#include <algorithm>
#include <set>

#include <kubist/apply/wait.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/executors/removal.hpp>
#include <kubist/util/text.hpp>

#include "deadline.hpp"
#include "output/progress_lines.hpp"
#include "output/run_report.hpp"
#include "session.hpp"

namespace kubist::cli {
namespace {

using apply::ObjectResult;
using apply::Outcome;
using engine::NodeReport;
using engine::NodeState;
using executors::Run;
using kube::DryRun;
using util::cat;
using util::ErrorKind;

/// Without --timeout only gone is gone.
constexpr std::chrono::hours k_no_limit{24 * 365};

/// Prints each object of the tree when it is gone.
class RemovalLines final : public ProgressLines {
 public:
  RemovalLines(const util::Log& log, DeletionPrinter* printer) : ProgressLines(log), m_printer(printer) {}
  void finished(const engine::Node& node, const NodeReport& report) override {
    ProgressLines::finished(node, report);
    if (report.mode == engine::Mode::remove && report.state == NodeState::done && report.ready) {
      print(node.key);
    }
  }
  /// Once for each object, whoever took it away.
  void print(const engine::Key& key) {
    if (m_printer != nullptr && m_printed.insert(key).second) {
      ObjectResult result;
      result.ref = key;
      result.outcome = Outcome::deleted;
      m_printer->result(result);
    }
  }

 private:
  DeletionPrinter* m_printer;
  std::set<engine::Key> m_printed;
};

class Deletion {
 public:
  Deletion(Context& context, const Arguments& arguments, const TreeDeletion& what)
      : m_context(context),
        m_arguments(arguments),
        m_what(what),
        m_form(arguments.text("report")),
        m_wait(arguments.given("wait") ? arguments.boolean("wait") : true),
        m_deadline(what.options.timeout, context.stop()),
        m_lines(context.log(), m_form.empty() ? &what.printer : nullptr) {}

  util::Result<int> run() {
    KUBIST_TRY(const auto client, m_context.client());
    find_others(*client);
    request(*client);
    const bool runs = m_wait || m_what.options.dry_run != DryRun::none;
    int code = k_ok;
    if (runs && !m_requested.empty()) {
      KUBIST_TRY(code, run_engine());
    }
    if (runs && code == k_ok) {
      KUBIST_CHECK(await_finalizers(*client));
    }
    KUBIST_CHECK(delete_others(*client, code == k_ok));
    KUBIST_TRY(const int failed, m_what.printer.finish(m_report));
    return code != k_ok ? code : failed;
  }

 private:
  /// What is not there to begin with is said so now: later it may have gone with its namespace.
  void find_others(kube::Client& client) {
    if (m_what.others.empty()) {
      return;
    }
    apply::RemoveOptions look = m_what.options;
    look.dry_run = DryRun::client;
    look.on_result = nullptr;
    for (ObjectResult& result :
         apply::remove_set(client, m_what.others, look, m_deadline.token()).results) {
      if (result.ok()) {
        m_others.push_back(m_what.others[result.index]);
      } else {
        take(std::move(result));
      }
    }
  }

  void take(ObjectResult result) {
    if (!result.ok()) {
      m_what.printer.result(result);
    }
    m_report.results.push_back(std::move(result));
  }

  void request(kube::Client& client) {
    apply::RemoveOptions options = m_what.options;
    options.on_result = nullptr;
    apply::Report report =
        executors::request_removal(client, m_what.tree, options, m_deadline.token());
    for (ObjectResult& result : report.results) {
      if (result.outcome == Outcome::deleted) {
        m_requested.push_back({result.ref, result.uid});
        if (!m_wait && options.dry_run == DryRun::none) {
          m_lines.print(result.ref);
        }
      }
      take(std::move(result));
    }
  }

  util::Result<int> run_engine() {
    executors::ReconcileOptions options = removal_options(m_arguments);
    for (const Requested& requested : m_requested) {
      options.selection.push_back(requested.key);
    }
    options.ignore_missing = true;
    options.mode = engine::Mode::remove;
    options.dry_run = m_what.options.dry_run;
    options.settle = k_no_limit;
    KUBIST_TRY(const auto session, open_session(m_context));
    KUBIST_TRY(const Run run, session->run(options, m_lines, m_deadline.token()));
    warn(m_context, run);
    report(run);
    if (run.report.stopped) {
      skip_others();
      return stopped(run.report.summary.nodes - run.report.summary.removed + m_others.size());
    }
    const int code = exit_code_of(run);
    if (code == k_ok) {
      for (const Requested& requested : m_requested) {
        m_lines.print(requested.key);
      }
    }
    return code;
  }

  void report(const Run& run) {
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
    if (run.report.summary.failed > 0 && !m_arguments.boolean("abandon")) {
      m_context.log().line("What cannot be reached or undone any more is let go by --abandon.");
    }
  }

  /// A dry run says what the deletion of DeployItems would run.
  void note_what_runs(const Run& run) {
    for (const NodeReport& node : run.report.nodes) {
      const bool has_items = node.key.kind == "Execution" || node.key.kind == "DeployItem";
      if (m_what.options.dry_run != DryRun::none && has_items && !node.message.empty()) {
        m_what.printer.note(
            cat(engine::to_string((*run.graph)[node.id]), ": ", util::printable(node.message)));
      }
    }
  }

  tl::unexpected<util::Error> stopped(std::size_t left) const {
    const std::string text =
        cat(left, left == 1 ? " object is" : " objects are", " not deleted yet");
    return m_deadline.cut_short(
        text, "Run it again, or 'kubist reconcile': it goes on where this one ended.");
  }

  /// kubist has let go of its objects; somebody else may still hold them.
  util::Result<> await_finalizers(kube::Client& client) {
    if (m_what.options.dry_run != DryRun::none) {
      return {};
    }
    std::vector<apply::Awaited> awaited;
    for (const Requested& requested : m_requested) {
      const auto target =
          std::find_if(m_what.tree.begin(), m_what.tree.end(), [&](const apply::Target& one) {
            return one.resource.kind == requested.key.kind && one.ns == requested.key.ns &&
                   one.name == requested.key.name;
          });
      awaited.push_back({target->resource, target->ns, target->name, requested.uid});
    }
    const apply::WaitOptions wait{
        .timeout = {}, .events = false, .on_progress = m_what.options.on_progress};
    const auto left = apply::wait_gone(client, awaited, wait, m_deadline.token());
    for (const apply::NotReady& one : left) {
      m_context.log().line(cat("not deleted: ", resources::to_string(one.ref), ": ", one.message));
    }
    if (!left.empty()) {
      return stopped(left.size());
    }
    return {};
  }

  void skip_others() {
    for (const apply::Target& target : m_others) {
      ObjectResult result;
      result.ref = {target.resource.group, target.resource.kind, target.ns, target.name};
      result.message = "what is left of the tree may need it";
      take(std::move(result));
    }
  }

  util::Result<> delete_others(kube::Client& client, bool tree_gone) {
    if (!tree_gone) {
      skip_others();
      return {};
    }
    apply::RemoveOptions options = m_what.options;
    options.ignore_not_found = true;
    options.wait = m_wait && options.wait;
    options.on_result = [this](const ObjectResult& result) {
      ObjectResult printed = result;
      if (result.ok()) {  // also what has gone with its namespace
        printed.outcome = Outcome::deleted;
      }
      m_what.printer.result(printed);
    };
    m_report.append(apply::remove_set(client, m_others, options, m_deadline.token()));
    if (m_report.stopped && m_deadline.passed()) {
      return stopped(m_report.not_ready.size() + m_report.count(Outcome::skipped));
    }
    return {};
  }

  struct Requested {
    engine::Key key;
    std::string uid;
  };

  Context& m_context;
  const Arguments& m_arguments;
  const TreeDeletion& m_what;
  std::string m_form;
  bool m_wait;
  Deadline m_deadline;
  RemovalLines m_lines;
  std::vector<apply::Target> m_others;  ///< those that are there
  std::vector<Requested> m_requested;
  apply::Report m_report;  ///< of requests and others; the tree's own is the run's
};

}  // namespace

DeletionPrinter::DeletionPrinter(Context& context, bool names, bool force, std::string suffix,
                                 const std::vector<resources::Manifest>& manifests)
    : m_context(context),
      m_names(names),
      m_force(force),
      m_suffix(std::move(suffix)),
      m_printer(context, names ? SetFormat::name : SetFormat::lines, m_suffix, manifests) {}

void DeletionPrinter::result(const ObjectResult& result) {
  if (!result.ok() || m_names) {
    m_printer.result(result);
  } else if (result.outcome == Outcome::deleted) {
    const auto name = display_name(result.ref);
    m_context.out().write(cat(name.substr(0, name.find('/')), " \"", result.ref.name, "\" ",
                              m_force ? "force deleted" : "deleted", m_suffix, '\n'));
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

util::Result<int> delete_with_tree(Context& context, const Arguments& arguments,
                                   const TreeDeletion& deletion) {
  if (deletion.options.propagation == kube::Propagation::orphan) {
    return util::fail(ErrorKind::usage, "--cascade=orphan is not for kubist's own objects",
                      "Set spec.deletionPolicy: Orphan on what shall stay.");
  }
  return Deletion(context, arguments, deletion).run();
}

}  // namespace kubist::cli
