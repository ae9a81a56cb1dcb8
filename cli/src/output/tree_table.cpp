#include "output/tree_table.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "output/tree_lines.hpp"

namespace kubist::cli {

using engine::Graph;
using engine::Node;
using engine::NodeId;
using util::cat;

namespace {

struct NodeStand {
  std::string ready, tree, reason, message;
};

NodeStand stand_of(const Graph& graph, const Node& node) {
  NodeStand row;
  if (const auto* ready = engine::find_condition(node.status(), "Ready")) {
    row.ready = data::string_at(*ready, {"status"});
    if (row.ready != "True" || data::string_at(*ready, {"reason"}) == resources::k_drifted) {
      row.reason = data::string_at(*ready, {"reason"});
      row.message = data::string_at(*ready, {"message"});
    }
  }
  const auto* drifted = engine::find_condition(node.status(), resources::k_drifted);
  if (drifted != nullptr && row.ready == "True" &&
      data::string_at(*drifted, {"status"}) == "True") {
    row.reason = resources::k_drifted;
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

int truth_color(const std::string& truth) {
  return truth == "True" ? 32 : truth == "False" ? 31 : 33;
}

bool is_of_node(const traffic::VersionRow& row, const Node& node) {
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

TreeRow version_row(const TreeLine& line, const traffic::VersionRow& version) {
  const bool ready = version.ready >= version.replicas;
  return {
      line.id,
      false,
      {label_below(line, cat(version.application, ' ', version.version)),
       cat(version.ready, '/', version.replicas), "-", "", traffic::share_words(version.shares)},
      {0, truth_color(ready ? "True" : "False"), 0, 0, 0}};
}

}  // namespace

const std::vector<std::string>& tree_header() {
  static const std::vector<std::string> header{"NAME", "READY", "TREE", "REASON", "MESSAGE"};
  return header;
}

std::vector<TreeRow> tree_rows(const Graph& graph, const std::vector<NodeId>& roots,
                               const std::vector<traffic::VersionRow>& versions) {
  std::vector<TreeRow> rows;
  for (const TreeLine& line : draw_tree(graph, roots)) {
    const NodeStand row = stand_of(graph, graph[line.id]);
    rows.push_back({line.id,
                    true,
                    {line.label, row.ready.empty() ? "-" : row.ready,
                     row.tree.empty() ? "-" : row.tree, row.reason, row.message},
                    {0, truth_color(row.ready), truth_color(row.tree), 0, 0}});
    for (const traffic::VersionRow& version : versions) {
      if (is_of_node(version, graph[line.id])) {
        rows.push_back(version_row(line, version));
      }
    }
  }
  return rows;
}

std::string tree_text(const std::vector<std::string>& header, const std::vector<TreeRow>& rows,
                      bool color) {
  std::vector<std::vector<std::string>> cells{header};
  std::vector<std::vector<int>> colors{std::vector<int>(header.size(), 0)};
  for (const TreeRow& row : rows) {
    cells.push_back(row.cells);
    colors.push_back(row.colors);
  }
  return layout(cells, colors, color);
}

data::Json tree_json(const Graph& graph, NodeId id) {
  const Node& node = graph[id];
  const NodeStand row = stand_of(graph, node);
  data::Json entry{{"kind", node.key.kind}, {"name", node.key.name}, {"ready", row.ready},
                   {"treeReady", row.tree}, {"reason", row.reason},  {"message", row.message}};
  if (!node.key.ns.empty()) {
    entry["namespace"] = node.key.ns;
  }
  entry["children"] = data::Json::array();
  for (NodeId child : node.children) {
    entry["children"].push_back(tree_json(graph, child));
  }
  return entry;
}

}  // namespace kubist::cli
