#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/executors/tree_view.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "output/document.hpp"
#include "output/tree_lines.hpp"
#include "query/get_applications.hpp"
#include "reasons.hpp"
#include "selection.hpp"
#include "several_contexts.hpp"

namespace kubist::cli {
namespace {

using engine::Graph;
using engine::Node;
using engine::NodeId;
using util::cat;

/// Condition of a DeployItem, and reason of an Execution that is Ready: others changed objects that
/// kubist is not to mend.
constexpr const char* k_drifted = "Drifted";

struct Shown {
  std::string ready, tree, reason, message;
};

Shown shown(const Graph& graph, const Node& node) {
  Shown row;
  if (const auto* ready = engine::find_condition(node.status(), "Ready")) {
    row.ready = data::string_at(*ready, {"status"});
    if (row.ready != "True" || data::string_at(*ready, {"reason"}) == k_drifted) {
      row.reason = data::string_at(*ready, {"reason"});
      row.message = data::string_at(*ready, {"message"});
    }
  }
  const auto* drifted = engine::find_condition(node.status(), k_drifted);
  if (drifted != nullptr && row.ready == "True" &&
      data::string_at(*drifted, {"status"}) == "True") {
    row.reason = k_drifted;
    row.message = data::string_at(*drifted, {"message"});
  }
  if (const auto* tree = engine::find_condition(node.status(), "TreeReady")) {
    row.tree = data::string_at(*tree, {"status"});
  }
  if (node.problem) {
    row.reason = node.problem_reason;
    row.message = node.problem->message;
  } else if (graph.suspended(node.id)) {
    row.reason = "Suspended";
  } else if (node.deleting) {
    row.reason = "Deleting";
  } else if (node.status_summary.observed_generation != node.generation && !row.ready.empty()) {
    row.reason = "Changed";
  }
  return row;
}

int color_of(const std::string& truth) { return truth == "True" ? 32 : truth == "False" ? 31 : 33; }

using Versions = std::vector<traffic::VersionRow>;

bool belongs_to(const traffic::VersionRow& row, const Node& node) {
  return node.key.kind == "VirtualCluster" && node.key.name == row.virtual_cluster &&
         node.key.ns == row.project_namespace;
}

// The line of something below a line of the tree, which is none of its nodes.
std::string label_below(const TreeLine& line, const std::string& name) {
  const std::string branches = line.label.substr(0, line.label.find("VirtualCluster/"));
  const std::string below =
      util::replace_all(util::replace_all(branches, "├─ ", "│  "), "└─ ", "   ");
  return cat(below, "   ", name);
}

/// The lines of a tree, with their colours.
struct Drawn {
  std::vector<std::vector<std::string>> rows{{"NAME", "READY", "TREE", "REASON", "MESSAGE"}};
  std::vector<std::vector<int>> colors{{0, 0, 0, 0, 0}};
  std::string reason;  ///< the last one shown
};

void draw(const Graph& graph, const std::vector<NodeId>& roots, const Versions& versions,
          Drawn& drawn) {
  auto& [rows, colors, reason] = drawn;
  for (const TreeLine& line : draw_tree(graph, roots)) {
    const Shown row = shown(graph, graph[line.id]);
    rows.push_back({line.label, row.ready.empty() ? "-" : row.ready,
                    row.tree.empty() ? "-" : row.tree, row.reason, row.message});
    colors.push_back({0, color_of(row.ready), color_of(row.tree), 0, 0});
    reason = row.reason.empty() ? reason : row.reason;
    for (const traffic::VersionRow& version : versions) {
      if (belongs_to(version, graph[line.id])) {
        const bool ready = version.ready >= version.replicas;
        rows.push_back({label_below(line, cat(version.application, ' ', version.version)),
                        cat(version.ready, '/', version.replicas), "-", "",
                        traffic::share_words(version.shares)});
        colors.push_back({0, color_of(ready ? "True" : "False"), 0, 0, 0});
      }
    }
  }
}

/// The rows from `first` on are that context's.
void name_context(Drawn& drawn, std::size_t first, const std::string& context) {
  for (std::size_t at = first; at < drawn.rows.size(); ++at) {
    drawn.rows[at].insert(drawn.rows[at].begin(), context);
    drawn.colors[at].insert(drawn.colors[at].begin(), 0);
  }
}

data::Json to_json(const Graph& graph, NodeId id) {
  const Node& node = graph[id];
  const Shown row = shown(graph, node);
  data::Json entry{{"kind", node.key.kind}, {"name", node.key.name}, {"ready", row.ready},
                   {"treeReady", row.tree}, {"reason", row.reason},  {"message", row.message}};
  if (!node.key.ns.empty()) {
    entry["namespace"] = node.key.ns;
  }
  entry["children"] = data::Json::array();
  for (NodeId child : node.children) {
    entry["children"].push_back(to_json(graph, child));
  }
  return entry;
}

/// Reads the tree of the context in effect, and adds it to both forms.
util::Result<> add_tree(Context& context, const std::string& name, Drawn& drawn, data::Json& all) {
  const Arguments& arguments = context.arguments();
  KUBIST_TRY(const auto keys, read_selection(context, arguments.words()));
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const auto ns, executors::namespace_of(*client, keys, context.stop()));
  KUBIST_TRY(const auto view, executors::load_tree_view(*client, ns, context.stop()));
  for (const std::string& warning : view.snapshot.warnings) {
    context.log().line(cat("warning: ", name.empty() ? "" : cat("context ", name, ": "), warning));
  }
  const Graph graph = executors::build_graph(view);
  std::vector<NodeId> roots = keys.empty() ? graph.roots() : std::vector<NodeId>{};
  for (const engine::Key& key : keys) {
    KUBIST_TRY(const auto found, graph.require(key));
    roots.insert(roots.end(), found.begin(), found.end());
  }
  for (NodeId root : roots) {
    all["roots"].push_back(to_json(graph, root));
    if (!name.empty()) {
      all["roots"].back()["context"] = name;
    }
  }
  const std::size_t first = drawn.rows.size();
  draw(graph, roots, arguments.boolean("versions") ? version_rows(graph) : Versions{}, drawn);
  if (!name.empty()) {
    name_context(drawn, first, name);
  }
  return {};
}

util::Result<int> run_tree(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const bool several, asks_contexts(arguments));
  Drawn drawn;
  if (several) {
    name_context(drawn, 0, "CONTEXT");
  }
  data::Json all{{"roots", data::Json::array()}};
  KUBIST_TRY(auto errors, in_each_context(context, [&](const std::string& name) {
               return add_tree(context, name, drawn, all);
             }));
  KUBIST_TRY(const bool printed, print_document(context, all));
  if (!printed && all["roots"].empty()) {
    context.log().line("No resources found");
  } else if (!printed) {
    context.out().write(layout(drawn.rows, drawn.colors, context.out_color()));
    // The deepest one is nearest to the cause.
    if (const std::string more = reason_command(drawn.reason);
        !more.empty() && context.out_is_terminal()) {
      context.log().line(cat("'", more, "' says what that reason means and what to do."));
    }
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
              "under MESSAGE their share of the routes.",
          .arguments = "[KIND NAME... | KIND/NAME...]",
          .max_words = -1,
          .completes = Completes::resource_names,
          .flags = {document_flag(),
                    contexts_flag(),
                    {"versions", 0, FlagKind::boolean, "", "show applications and their versions"}},
          .examples = {{"The whole environment", "kubist tree"},
                       {"With the versions of its applications", "kubist tree --versions"},
                       {"Of two home clusters", "kubist tree --contexts prod,dev"},
                       {"One project", "kubist tree Project/shop"}},
          .run = run_tree};
}

}  // namespace kubist::cli
