#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <kubist/cli/sink.hpp>
#include <kubist/engine/graph.hpp>

#include "output/tree_table.hpp"
#include "terminal/picture.hpp"

namespace kubist::cli {

/// The lines of a tree that changes while it is shown. On a terminal they take the place of
/// those before; elsewhere the whole tree is printed once, and then each line that has changed, by
/// the full name of its resource. One thread, but for aside().
class LiveTree {
 public:
  /// `size` tells that of the terminal; empty: it is none.
  LiveTree(Sink& out, bool color, std::function<TerminalSize()> size)
      : m_out(out), m_color(color), m_size(std::move(size)), m_picture(out) {}
  void show(const engine::Graph& graph, const std::vector<TreeRow>& rows);
  /// While `write` writes elsewhere, the lines are taken away where that may be the same terminal.
  /// Any thread.
  void aside(const std::function<void()>& write) { m_size ? m_picture.aside(write) : write(); }

 private:
  using Cells = std::vector<std::string>;
  void print_changes(const engine::Graph& graph, const std::vector<TreeRow>& rows);

  Sink& m_out;
  const bool m_color;
  const std::function<TerminalSize()> m_size;
  Picture m_picture;
  bool m_printed = false;
  std::map<std::string, Cells> m_known;  ///< what was printed last, by full name
};

/// As many of the rows as `most`, in their order: those that are not ready first, with what they
/// are below.
std::vector<TreeRow> rows_that_fit(const engine::Graph& graph, const std::vector<TreeRow>& rows,
                                   std::size_t most);

}  // namespace kubist::cli
