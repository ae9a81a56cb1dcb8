#include "terminal/run_picture.hpp"

#include <algorithm>
#include <set>

#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "output/tree_lines.hpp"

namespace kubist::cli {

using engine::Graph;
using engine::Node;
using engine::NodeId;
using util::cat;

namespace {

/// The branches before each row's name, from the depths of all.
std::vector<std::string> branches_of(const std::vector<std::size_t>& depths) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at < depths.size(); ++at) {
    std::string text;
    for (std::size_t level = 1; level <= depths[at]; ++level) {
      const auto more = std::find_if(depths.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                     depths.end(), [&](std::size_t d) { return d <= level; });
      const bool last = more == depths.end() || *more < level;
      text += level < depths[at] ? (last ? "   " : "│  ") : (last ? "└─ " : "├─ ");
    }
    all.push_back(std::move(text));
  }
  return all;
}

std::string seconds(RunPicture::Time since, RunPicture::Time now) {
  return util::human_duration(std::chrono::duration_cast<std::chrono::seconds>(now - since));
}

}  // namespace

RunPicture::Path RunPicture::path_of(const Graph& graph, NodeId id) {
  Path path;
  for (NodeId at = id; at != engine::k_no_node; at = graph[at].parent) {
    const Node& node = graph[at];
    const bool alone = node.parent == engine::k_no_node && !node.key.ns.empty();
    path.push_back(alone ? engine::to_string(node) : node_label(node));
  }
  std::reverse(path.begin(), path.end());
  return path;
}

/// Of the projects that the graph has, what is not in it any more.
void RunPicture::drop_gone(const Graph& graph) {
  std::set<std::string> projects;
  std::set<Path> there;
  for (const Node& node : graph.nodes()) {
    if (node.key.kind == "Project") {
      projects.insert(node_label(node));
    }
    there.insert(path_of(graph, node.id));
  }
  std::erase_if(m_rows, [&](const auto& row) {
    const Path& path = row.first;
    return !there.contains(path) && std::any_of(path.begin(), path.end(), [&](const auto& word) {
      return projects.contains(word);
    });
  });
}

void RunPicture::planned(const Graph& graph, const std::vector<NodeId>& nodes) {
  drop_gone(graph);
  if (std::none_of(m_rows.begin(), m_rows.end(),
                   [](const auto& row) { return row.second.state == State::runs; })) {
    m_begin = {};
  }
  for (const NodeId id : nodes) {
    Path path = path_of(graph, id);
    m_paths[engine::to_string(graph[id])] = path;
    m_rows[path].selected = true;
    for (path.pop_back(); !path.empty(); path.pop_back()) {
      m_rows.try_emplace(path);
    }
  }
}

RunPicture::Row& RunPicture::row_of(const Node& node) {
  const auto found = m_paths.find(engine::to_string(node));
  return m_rows[found == m_paths.end() ? Path{engine::to_string(node)} : found->second];
}

void RunPicture::set(const Node& node, State state, std::string message, Time now) {
  m_begin = m_begin == Time{} ? now : m_begin;
  Row& row = row_of(node);
  row.selected = true;
  row.since = row.state == state && row.message == message ? row.since : now;
  row.state = state;
  row.message = std::move(message);
}

void RunPicture::started(const Node& node, engine::Mode mode, Time now) {
  set(node, State::runs, mode == engine::Mode::remove ? "removes it" : "", now);
}

void RunPicture::progress(const Node& node, const std::string& message, Time now) {
  set(node, State::runs, message, now);
}

void RunPicture::finished(const Node& node, const engine::NodeReport& report, Time now) {
  const std::string why = cat(report.reason, report.message.empty() ? "" : ": ", report.message);
  switch (report.state) {
    case engine::NodeState::done:
      set(node,
          !report.ready                         ? State::not_ready
          : report.mode == engine::Mode::remove ? State::removed
                                                : State::ready,
          report.ready ? "" : why, now);
      break;
    case engine::NodeState::failed:
      set(node, State::failed, why, now);
      break;
    default:
      set(node, State::waits, why, now);
  }
}

/// What runs or failed with what it is below, then what else fits, in the order of the tree.
RunPicture::Rows RunPicture::shown(std::size_t most) const {
  std::set<Path> kept;
  const auto keep = [&](State state) {
    for (const auto& [path, row] : m_rows) {
      for (Path above = path; row.selected && row.state == state && !above.empty() &&
                              kept.size() < most && kept.insert(above).second;) {
        above.pop_back();
      }
    }
  };
  for (const State state :
       {State::failed, State::runs, State::not_ready, State::waits, State::removed, State::ready}) {
    keep(state);
  }
  Rows rows;
  for (const auto& [path, row] : m_rows) {
    if (kept.contains(path)) {
      rows.emplace_back(&path, &row);
    }
  }
  return rows;
}

std::string RunPicture::last_line(std::size_t hidden, Time now) const {
  std::map<State, std::size_t> counts;
  std::size_t all = 0;
  for (const auto& [path, row] : m_rows) {
    counts[row.state] += row.selected ? 1 : 0;
    all += row.selected ? 1 : 0;
  }
  const auto part = [&](State state, std::string_view word) {
    return counts[state] == 0 ? std::string() : cat(", ", counts[state], ' ', word);
  };
  return cat(counts[State::ready] + counts[State::removed], " of ", all, " done",
             part(State::runs, "running"), part(State::not_ready, "not ready"),
             part(State::failed, "failed"), hidden == 0 ? "" : cat(", ", hidden, " not shown"),
             m_begin == Time{} ? "" : cat(", ", seconds(m_begin, now)), '\n');
}

std::string RunPicture::lines(const TerminalSize& size, bool color, Time now) const {
  struct Look {
    std::string_view word;
    int color;
  };
  static const std::map<State, Look> looks{
      {State::waits, {"waits", 2}},    {State::runs, {"runs", 33}},
      {State::ready, {"ready", 32}},   {State::not_ready, {"not ready", 33}},
      {State::failed, {"failed", 31}}, {State::removed, {"removed", 32}}};
  constexpr std::size_t k_rest = 2;  // the last line, and that of the cursor
  const std::size_t most = size.rows > k_rest + 1 ? size.rows - k_rest : 1;
  const Rows rows = shown(most);
  std::vector<std::size_t> depths;
  for (const auto& [path, row] : rows) {
    depths.push_back(path->size() - 1);
  }
  const auto branches = branches_of(depths);
  std::vector<std::vector<std::string>> cells;
  std::vector<std::vector<int>> colors;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const auto& [path, row] = rows[at];
    const Look& look = looks.at(row->state);
    const bool lasts = row->state == State::runs || row->state == State::not_ready;
    cells.push_back({cat(branches[at], path->back()), row->selected ? std::string(look.word) : "",
                     lasts ? seconds(row->since, now) : "", row->message});
    colors.push_back({0, look.color, 0, 0});
  }
  return cat(layout(cells, colors, color), last_line(m_rows.size() - rows.size(), now));
}

}  // namespace kubist::cli
