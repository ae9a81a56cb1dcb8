#include <algorithm>

#include <unistd.h>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/executors/tree_view.hpp>
#include <kubist/executors/tree_watch.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "output/document.hpp"
#include "output/tree_table.hpp"
#include "query/get_applications.hpp"
#include "reasons.hpp"
#include "selection.hpp"
#include "several_contexts.hpp"
#include "terminal/live_tree.hpp"

namespace kubist::cli {
namespace {

using engine::Graph;
using engine::NodeId;
using util::cat;

/// The nodes that the words name, as far as they are there; of no words, the roots.
std::vector<NodeId> present_roots(const Graph& graph, const std::vector<engine::Key>& keys) {
  std::vector<NodeId> roots = keys.empty() ? graph.roots() : std::vector<NodeId>{};
  for (const engine::Key& key : keys) {
    const auto found = graph.find(key);
    roots.insert(roots.end(), found.begin(), found.end());
  }
  return roots;
}

/// The same. Not_found: one of them is not there.
util::Result<std::vector<NodeId>> named_roots(const Graph& graph,
                                              const std::vector<engine::Key>& keys) {
  for (const engine::Key& key : keys) {
    KUBIST_CHECK(graph.require(key));
  }
  return present_roots(graph, keys);
}

std::vector<TreeRow> versioned_rows(const Arguments& arguments, const Graph& graph,
                                    const std::vector<NodeId>& roots) {
  return tree_rows(
      graph, roots,
      arguments.boolean("versions") ? version_rows(graph) : std::vector<traffic::VersionRow>{});
}

/// What was read of all contexts.
struct TreesRead {
  std::vector<TreeRow> rows;
  data::Json roots = data::Json::array();
};

/// Reads the tree of the context in effect, and adds it to both forms.
util::Result<> add_tree(Context& context, const std::string& name, TreesRead& all) {
  const Arguments& arguments = context.arguments();
  KUBIST_TRY(const auto keys, read_selection(context, arguments.words()));
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const auto namespaces, executors::namespaces_of(*client, keys, context.stop()));
  KUBIST_TRY(const auto view, executors::load_tree_view(*client, namespaces, context.stop()));
  for (const std::string& warning : view.snapshot.warnings) {
    context.log().line(cat("warning: ", name.empty() ? "" : cat("context ", name, ": "), warning));
  }
  const Graph graph = executors::build_graph(view);
  KUBIST_TRY(const auto roots, named_roots(graph, keys));
  for (NodeId root : roots) {
    all.roots.push_back(tree_json(graph, root));
    if (!name.empty()) {
      all.roots.back()["context"] = name;
    }
  }
  for (TreeRow& row : versioned_rows(arguments, graph, roots)) {
    if (!name.empty()) {
      row.cells.insert(row.cells.begin(), name);
      row.colors.insert(row.colors.begin(), 0);
    }
    all.rows.push_back(std::move(row));
  }
  return {};
}

/// The deepest one is nearest to the cause.
void hint_at_reason(Context& context, const std::vector<TreeRow>& rows) {
  std::string reason;
  for (const TreeRow& row : rows) {
    const std::string& own = row.cells[row.cells.size() - 2];
    reason = own.empty() ? reason : own;
  }
  if (const std::string more = reason_command(reason); !more.empty() && context.out_is_terminal()) {
    context.log().line(cat("'", more, "' says what that reason means and what to do."));
  }
}

util::Result<int> watch_tree(Context& context, const Arguments& arguments) {
  if (arguments.given("output") || arguments.given("contexts")) {
    return util::fail(util::ErrorKind::usage,
                      "--watch shows one tree as it changes: leave --output and --contexts out");
  }
  KUBIST_TRY(const auto keys, read_selection(context, arguments.words()));
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const auto namespaces, executors::namespaces_of(*client, keys, context.stop()));
  LiveTree live(context.out(), context.out_color(),
                context.out_redraws() ? [] { return terminal_size(STDOUT_FILENO); }
                                      : std::function<TerminalSize()>());
  const auto say = [&](const std::string& line) { live.aside([&] { context.log().line(line); }); };
  std::vector<std::string> warned;
  executors::TreeWatch watch(client, namespaces, say);
  KUBIST_TRY(auto view, watch.next(context.stop()));
  KUBIST_CHECK(named_roots(executors::build_graph(view), keys));
  while (!context.stop().stop_requested() && !context.out().closed()) {
    for (const std::string& warning : view.snapshot.warnings) {
      if (std::find(warned.begin(), warned.end(), warning) == warned.end()) {
        say(cat("warning: ", warning));
      }
    }
    warned = view.snapshot.warnings;
    const Graph graph = executors::build_graph(view);
    live.show(graph, versioned_rows(arguments, graph, present_roots(graph, keys)));
    auto next = watch.next(context.stop());
    if (next) {
      view = *std::move(next);
    } else if (!context.stop().stop_requested()) {
      say(next.error().to_string());
    }
  }
  return context.stop().stop_requested()
             ? util::fail(util::ErrorKind::cancelled, "stopped watching")
             : util::Result<int>(k_ok);
}

util::Result<int> run_tree(Context& context, const Arguments& arguments) {
  if (arguments.boolean("watch")) {
    return watch_tree(context, arguments);
  }
  KUBIST_TRY(const bool several, asks_contexts(arguments));
  TreesRead all;
  KUBIST_TRY(auto errors, in_each_context(context, [&](const std::string& name) {
               return add_tree(context, name, all);
             }));
  KUBIST_TRY(const bool printed, print_document(context, {{"roots", all.roots}}));
  if (!printed && all.roots.empty()) {
    context.log().line("No resources found");
  } else if (!printed) {
    std::vector<std::string> header = tree_header();
    header.insert(header.begin(), several ? 1 : 0, "CONTEXT");
    context.out().write(tree_text(header, all.rows, context.out_color()));
    hint_at_reason(context, all.rows);
  }
  return end_of_contexts(std::move(errors));
}

}  // namespace

CommandSpec tree_command() {
  return {.path = "tree",
          .group = "Start here",
          .summary = "Show the tree and how each resource is",
          .details =
              "READY is the resource's own condition, TREE that of all below it as well. With "
              "--versions the applications of each virtual cluster follow it: ready replicas, and "
              "under MESSAGE their share of the routes.\n\n"
              "With --watch the tree stays: on a terminal in place, cut to its height with what is "
              "not ready first. Elsewhere each line that changes is printed, with the full name of "
              "its resource. The API server tells of the changes.",
          .arguments = "[KIND NAME... | KIND/NAME...]",
          .max_words = -1,
          .completes = Completes::resource_names,
          .flags = {document_flag(),
                    contexts_flag(),
                    {"watch", 'w', FlagKind::boolean, "",
                     "keep showing the tree as it changes until a signal"},
                    {"versions", 0, FlagKind::boolean, "", "show applications and their versions"}},
          .examples = {{"The whole environment", "kubist tree"},
                       {"While a run goes on elsewhere", "kubist tree --watch"},
                       {"With the versions of its applications", "kubist tree --versions"},
                       {"Of two home clusters", "kubist tree --contexts prod,dev"},
                       {"One project", "kubist tree Project/shop"}},
          .run = run_tree};
}

}  // namespace kubist::cli
