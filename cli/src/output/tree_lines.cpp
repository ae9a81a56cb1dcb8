#include "output/tree_lines.hpp"

#include <kubist/util/text.hpp>

#include "output/table.hpp"

namespace kubist::cli {

using engine::Graph;
using engine::NodeId;
using util::cat;

namespace {

// One level of recursion a level of the tree, which is five deep.
void draw(const Graph& graph, NodeId id, const std::string& own, const std::string& below,
          const std::vector<bool>* include, std::vector<TreeLine>& lines) {
  const engine::Node& node = graph[id];
  lines.push_back({id, cat(own, node_label(node))});
  std::vector<NodeId> children;
  for (NodeId child : node.children) {
    if (include == nullptr || (*include)[child]) {
      children.push_back(child);
    }
  }
  for (std::size_t i = 0; i < children.size(); ++i) {
    const bool last = i + 1 == children.size();
    draw(graph, children[i], cat(below, last ? "└─ " : "├─ "), cat(below, last ? "   " : "│  "),
         include, lines);
  }
}

// A message of several lines in one: a table's row is one line.
std::string in_one_line(const std::string& text) {
  if (text.find_first_of("\n\t") == text.npos) {
    return text;
  }
  std::string line;
  for (const std::string& part : util::split(util::replace_all(text, "\t", " "), '\n')) {
    if (const std::string_view words = util::trim(part); !words.empty()) {
      line += cat(line.empty() ? "" : line.ends_with(':') ? " " : " / ", words);
    }
  }
  return line;
}

}  // namespace

std::string node_label(const engine::Node& node) {
  return cat(node.key.kind, '/', node.key.name, node.target.empty() ? "" : " on ", node.target);
}

std::vector<TreeLine> draw_tree(const Graph& graph, const std::vector<NodeId>& roots,
                                const std::vector<bool>* include) {
  std::vector<TreeLine> lines;
  for (NodeId root : roots) {
    draw(graph, root, "", "", include, lines);
  }
  return lines;
}

std::string paint(std::string_view text, int code, bool on) {
  return on && code != 0 ? cat("\x1b[", code, 'm', text, "\x1b[0m") : std::string(text);
}

std::string layout(const std::vector<std::vector<std::string>>& rows,
                   const std::vector<std::vector<int>>& colors, bool color) {
  StringSink lines;
  TableWriter writer(lines, {.min_width = 0, .padding = 2, .remember_widths = false});
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      const std::string cell = in_one_line(util::printable(rows[r][c]));
      cells.push_back(color && !cell.empty() ? paint(cell, colors[r][c], true) : cell);
    }
    writer.row({cells.begin(), cells.end()});
  }
  writer.flush();
  std::string text;
  for (const std::string& line : util::split(lines.text(), '\n')) {
    const std::size_t end = line.find_last_not_of(' ');  // empty cells at the end of a row
    text += end == line.npos ? "" : cat(line.substr(0, end + 1), '\n');
  }
  return text;
}

}  // namespace kubist::cli
