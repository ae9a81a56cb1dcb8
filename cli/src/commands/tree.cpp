#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/executors/tree_view.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "output/document.hpp"
#include "output/tree_lines.hpp"
#include "query/get_applications.hpp"
#include "selection.hpp"

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

void print_table(const Graph& graph, const std::vector<NodeId>& roots, const Versions& versions,
                 bool color, Sink& out) {
  std::vector<std::vector<std::string>> rows{{"NAME", "READY", "TREE", "REASON", "MESSAGE"}};
  std::vector<std::vector<int>> colors{{0, 0, 0, 0, 0}};
  for (const TreeLine& line : draw_tree(graph, roots)) {
    const Shown row = shown(graph, graph[line.id]);
    rows.push_back({line.label, row.ready.empty() ? "-" : row.ready,
                    row.tree.empty() ? "-" : row.tree, row.reason, row.message});
    colors.push_back({0, color_of(row.ready), color_of(row.tree), 0, 0});
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
  out.write(layout(rows, colors, color));
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

util::Result<int> run_tree(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const auto keys, read_selection(context, arguments.words()));
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const auto ns, executors::namespace_of(*client, keys, context.stop()));
  KUBIST_TRY(const auto view, executors::load_tree_view(*client, ns, context.stop()));
  for (const std::string& warning : view.snapshot.warnings) {
    context.log().line(cat("warning: ", warning));
  }
  const Graph graph = executors::build_graph(view);
  std::vector<NodeId> roots = keys.empty() ? graph.roots() : std::vector<NodeId>{};
  for (const engine::Key& key : keys) {
    KUBIST_TRY(const auto found, graph.require(key));
    roots.insert(roots.end(), found.begin(), found.end());
  }
  data::Json all{{"roots", data::Json::array()}};
  for (NodeId root : roots) {
    all["roots"].push_back(to_json(graph, root));
  }
  KUBIST_TRY(const bool printed, print_document(context, all));
  if (printed) {
    return k_ok;
  }
  if (roots.empty()) {
    context.log().line("No resources found");
  } else {
    const Versions versions = arguments.boolean("versions") ? version_rows(graph) : Versions{};
    print_table(graph, roots, versions, context.out_color(), context.out());
  }
  return k_ok;
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
                    {"versions", 0, FlagKind::boolean, "", "show applications and their versions"}},
          .examples = {{"The whole environment", "kubist tree"},
                       {"With the versions of its applications", "kubist tree --versions"},
                       {"One project", "kubist tree Project/shop"}},
          .run = run_tree};
}

}  // namespace kubist::cli
