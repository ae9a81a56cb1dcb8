#pragma once
#include <string>
#include <vector>

#include <kubist/engine/graph.hpp>

namespace kubist::cli {

/// One line of a drawn tree.
struct TreeLine {
  engine::NodeId id = engine::k_no_node;
  std::string label;  ///< branches and "Kind/name"
};

/// "Kind/name", and "Kind/name on target" of one of several targets.
std::string node_label(const engine::Node& node);

/// The subtrees of `roots` as lines, parents before children, branches drawn. `include` null: all.
std::vector<TreeLine> draw_tree(const engine::Graph& graph,
                                const std::vector<engine::NodeId>& roots,
                                const std::vector<bool>* include = nullptr);

/// Text with ANSI colour (32 green, 31 red, 33 yellow, 2 dim) where `on`.
std::string paint(std::string_view text, int code, bool on);

/// Rows as columns two spaces apart, by display width; the last column is not padded. Cells are
/// made printable(); those of several lines become one, " / " between them: `describe` has the
/// whole text. Colours do not count: `colors[r][c]` is 0 or a code for paint(), where `color`.
std::string layout(const std::vector<std::vector<std::string>>& rows,
                   const std::vector<std::vector<int>>& colors = {}, bool color = false);

}  // namespace kubist::cli
