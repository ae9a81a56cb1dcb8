#include "terminal/live_tree.hpp"

#include <algorithm>
#include <set>

#include <kubist/util/text.hpp>

#include "output/tree_lines.hpp"

namespace kubist::cli {

using engine::Graph;
using engine::NodeId;
using util::cat;

namespace {

constexpr std::size_t k_ready_cell = 1;  // of a row's cells

/// "Kind/namespace/name on target"; of an application with its name behind it.
std::string full_row_name(const Graph& graph, const TreeRow& row) {
  const std::string name = engine::to_string(graph[row.id]);
  return row.is_node ? name : cat(name, ' ', util::trim(util::replace_all(row.cells[0], "│", " ")));
}

}  // namespace

std::vector<TreeRow> rows_that_fit(const Graph& graph, const std::vector<TreeRow>& rows,
                                   std::size_t most) {
  std::set<NodeId> present;
  for (const TreeRow& row : rows) {
    present.insert(row.id);
  }
  std::set<NodeId> kept;
  for (const TreeRow& row : rows) {
    for (NodeId at = row.id; row.is_node && row.cells[k_ready_cell] != "True" &&
                             present.contains(at) && kept.size() < most && kept.insert(at).second;
         at = graph[at].parent) {
    }
  }
  std::size_t room = most - std::min(most, kept.size());
  std::vector<TreeRow> shown;
  for (const TreeRow& row : rows) {
    const bool asked_for = row.is_node && kept.contains(row.id);
    if (asked_for || room > 0) {
      room -= asked_for ? 0 : 1;
      shown.push_back(row);
    }
  }
  return shown;
}

void LiveTree::show(const Graph& graph, const std::vector<TreeRow>& rows) {
  if (!m_size) {
    print_changes(graph, rows);
    return;
  }
  constexpr std::size_t k_rest = 3;  // the header, the last line and that of the cursor
  const TerminalSize size = m_size();
  const auto shown = rows_that_fit(graph, rows, size.rows > k_rest ? size.rows - k_rest : 1);
  const std::size_t hidden = rows.size() - shown.size();
  m_picture.draw(cat(tree_text(tree_header(), shown, m_color),
                     hidden == 0 ? "" : cat("and ", hidden, " more lines\n")),
                 size.columns);
}

void LiveTree::print_changes(const Graph& graph, const std::vector<TreeRow>& rows) {
  std::map<std::string, Cells> known;
  std::vector<Cells> changed;
  std::vector<std::vector<int>> colors;
  for (const TreeRow& row : rows) {
    Cells cells = row.cells;
    cells[0] = full_row_name(graph, row);
    const auto before = m_known.find(cells[0]);
    if (before == m_known.end() || before->second != cells) {
      changed.push_back(cells);
      colors.push_back(row.colors);
    }
    known.emplace(cells[0], std::move(cells));
  }
  for (const auto& [name, cells] : m_known) {
    if (!known.contains(name)) {
      changed.push_back({name, "-", "-", "Deleted", ""});
      colors.push_back(std::vector<int>(tree_header().size(), 0));
    }
  }
  m_out.write(m_printed ? layout(changed, colors, m_color)
                        : tree_text(tree_header(), rows, m_color));
  m_out.flush();
  m_printed = true;
  m_known = std::move(known);
}

}  // namespace kubist::cli
