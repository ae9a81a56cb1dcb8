#pragma once
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/engine/graph.hpp>
#include <kubist/traffic/applications.hpp>

namespace kubist::cli {

/// A line of `kubist tree`.
struct TreeRow {
  engine::NodeId id = engine::k_no_node;
  bool is_node = true;             ///< else an application of the node
  std::vector<std::string> cells;  ///< as tree_header() has them
  std::vector<int> colors;         ///< of the cells, as layout() takes them
};

/// "NAME", "READY", "TREE", "REASON", "MESSAGE".
const std::vector<std::string>& tree_header();

/// The subtrees of `roots`, each resource with how it is, from its status. The applications of a
/// virtual cluster follow it.
std::vector<TreeRow> tree_rows(const engine::Graph& graph, const std::vector<engine::NodeId>& roots,
                               const std::vector<traffic::VersionRow>& versions = {});
/// Rows below their header, as whole lines.
std::string tree_text(const std::vector<std::string>& header, const std::vector<TreeRow>& rows,
                      bool color);
/// One subtree, as a document.
data::Json tree_json(const engine::Graph& graph, engine::NodeId id);

}  // namespace kubist::cli
