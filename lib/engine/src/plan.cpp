#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/engine/plan.hpp>
#include <kubist/util/words.hpp>

namespace kubist::engine {

std::string_view to_string(NodeState state) {
  static constexpr util::Word<NodeState> k_words[] = {
      {NodeState::waiting, "waiting"}, {NodeState::ready, "ready"},
      {NodeState::running, "running"}, {NodeState::done, "done"},
      {NodeState::failed, "failed"},   {NodeState::blocked, "blocked"},
      {NodeState::skipped, "skipped"}};
  return util::word_of(k_words, state);
}

bool is_final(NodeState state) { return state >= NodeState::done; }

namespace {

/// May what is below a node that this plan does not run go on? The Root prepares nothing for its
/// projects, so one that no run has looked at yet does not hold them up.
bool lets_children_go(const Node& parent) {
  const std::string& ready = parent.status_summary.ready;
  return ready == "True" || (ready.empty() && parent.key.kind == "Root" && !parent.problem);
}

}  // namespace

Plan::Plan(const Graph& graph, const std::vector<NodeId>& selected, Mode mode,
           const Followers& followers, const std::vector<NodeId>& left_out)
    : m_graph(graph), m_entries(graph.size()) {
  include(selected, mode, left_out);
  group_siblings();
  if (followers) {
    order_followers(followers);
  }
  for (NodeId id = 0; id < m_entries.size(); ++id) {
    if (m_entries[id].selected) {
      begin(id);
    }
  }
  drain();
  for (NodeId id = 0; id < m_entries.size(); ++id) {
    if (m_entries[id].selected) {
      make_ready(id);
    }
  }
}

void Plan::include(const std::vector<NodeId>& selected, Mode mode,
                   const std::vector<NodeId>& left_out) {
  std::vector<bool> out(m_graph.size());
  for (NodeId top : left_out) {
    for (NodeId id : m_graph.subtree(top)) {
      out[id] = true;
    }
  }
  for (NodeId top : selected) {
    for (NodeId id : m_graph.subtree(top)) {
      if (out[id]) {
        continue;
      }
      Entry& entry = m_entries[id];
      m_open += entry.selected ? 0 : 1;
      entry.selected = true;
      entry.mode = mode == Mode::remove || m_graph.deleting(id) ? Mode::remove : Mode::align;
    }
  }
  for (NodeId id = 0; id < m_entries.size(); ++id) {
    if (!m_entries[id].selected) {
      continue;
    }
    for (NodeId up = id; up != k_no_node && m_entries[up].selected; up = m_graph[up].parent) {
      ++m_entries[up].open_below;
    }
  }
}

// Followers need not be siblings of what they follow: those of a node of the Project may be on
// several virtual clusters.
void Plan::order_followers(const Followers& followers) {
  const auto runs = [&](NodeId id) {
    return m_entries[id].selected && m_entries[id].mode == Mode::align;
  };
  for (NodeId id = 0; id < m_entries.size(); ++id) {
    const std::vector<NodeId>& awaited = m_graph[id].waits_for;
    for (const Key& key : runs(id) ? followers(m_graph[id]) : std::vector<Key>()) {
      for (const NodeId follower : m_graph.find(key)) {
        const bool before = std::find(awaited.begin(), awaited.end(), follower) != awaited.end();
        if (runs(follower) && !before) {
          m_followers.emplace(id, follower);
          ++m_entries[follower].hard;
        }
      }
    }
  }
}

void Plan::group_siblings() {
  for (NodeId id = 0; id < m_entries.size(); ++id) {
    if (m_entries[id].selected) {
      Siblings& siblings = siblings_of(id);
      if (siblings.ranks.empty()) {
        siblings.ranks.emplace_back();
      }
      siblings.ranks.front().push_back(id);
    }
  }
  for (auto& [key, siblings] : m_siblings) {
    std::vector<NodeId> all = std::move(siblings.ranks.front());
    siblings.ranks.clear();
    bool backwards = key.second == Mode::remove;
    std::stable_sort(all.begin(), all.end(), [&](NodeId a, NodeId b) {
      return backwards ? m_graph[a].rank > m_graph[b].rank : m_graph[a].rank < m_graph[b].rank;
    });
    for (NodeId id : all) {
      if (siblings.ranks.empty() ||
          m_graph[siblings.ranks.back().front()].rank != m_graph[id].rank) {
        siblings.ranks.emplace_back();
        siblings.open.push_back(0);
      }
      siblings.ranks.back().push_back(id);
      ++siblings.open.back();
      m_entries[id].rank_slot = siblings.ranks.size() - 1;
      m_entries[id].behind = siblings.ranks.size() > 1;
    }
  }
}

Plan::Siblings& Plan::siblings_of(NodeId id) {
  return m_siblings[{m_graph[id].parent, m_entries[id].mode}];
}

void Plan::begin(NodeId id) {
  if (m_entries[id].mode == Mode::remove) {
    begin_remove(id);
  } else {
    begin_align(id);
  }
}

void Plan::begin_align(NodeId id) {
  const Node& node = m_graph[id];
  Entry& entry = m_entries[id];
  if (m_graph.suspended(id)) {
    entry.ready = node.recorded_ready();
    settle(id, NodeState::skipped, "Suspended", k_no_node);
    return;
  }
  if (node.problem) {
    settle(id, NodeState::failed, node.problem_reason, k_no_node);
    return;
  }
  if (node.parent != k_no_node) {
    if (m_entries[node.parent].selected) {
      // Only the Root goes by itself; what is below it does not wait for that.
      entry.hard += m_entries[node.parent].mode == Mode::align ? 1 : 0;
    } else if (!lets_children_go(m_graph[node.parent])) {
      settle(id, NodeState::blocked, "ParentNotReady", node.parent);
    }
  }
  for (NodeId dependency : node.waits_for) {
    const Entry& other = m_entries[dependency];
    if (m_graph.deleting(dependency) || (other.selected && other.mode == Mode::remove)) {
      settle(id, NodeState::blocked, "DependencyRemoved", dependency);
    } else if (other.selected) {
      ++entry.hard;
    } else if (!m_graph[dependency].recorded_ready()) {
      settle(id, NodeState::blocked, "DependencyNotReady", dependency);
    }
  }
}

void Plan::begin_remove(NodeId id) {
  const Node& node = m_graph[id];
  Entry& entry = m_entries[id];
  if (node.unreadable) {
    settle(id, NodeState::failed, node.problem_reason, k_no_node);
    return;
  }
  const auto goes = [this](NodeId other) {
    return m_entries[other].selected && m_entries[other].mode == Mode::remove;
  };
  entry.hard =
      static_cast<unsigned>(std::count_if(node.children.begin(), node.children.end(), goes) +
                            std::count_if(node.waited_by.begin(), node.waited_by.end(), goes));
}

std::optional<NodeId> Plan::next() {
  if (m_ready.empty() && m_running == 0 && m_open > 0) {
    break_deadlock();
  }
  while (!m_ready.empty()) {
    NodeId id = m_ready.top();
    m_ready.pop();
    if (m_entries[id].state == NodeState::ready) {
      m_entries[id].state = NodeState::running;
      ++m_running;
      return id;
    }
  }
  return std::nullopt;
}

void Plan::release_children(NodeId id) {
  Entry& entry = m_entries[id];
  if (entry.state == NodeState::running && entry.mode == Mode::align) {
    entry.children = true;
    tell_children(id);
    drain();
  }
}

void Plan::finish(NodeId id, const Verdict& verdict) {
  Entry& entry = m_entries[id];
  --m_running;
  entry.state = verdict.state;
  entry.ready = verdict.ready && verdict.state == NodeState::done;
  entry.children = verdict.children;
  entry.reason = verdict.reason;
  m_ended.push_back(id);
  drain();
}

void Plan::stop(const std::string& reason) {
  for (NodeId id = 0; id < m_entries.size(); ++id) {
    if (m_entries[id].selected) {
      settle(id, NodeState::skipped, reason, k_no_node);
    }
  }
  drain();
}

// Ends a node that never ran.
void Plan::settle(NodeId id, NodeState state, std::string reason, NodeId cause) {
  Entry& entry = m_entries[id];
  if (entry.state != NodeState::waiting && entry.state != NodeState::ready) {
    return;
  }
  entry.state = state;
  entry.reason = std::move(reason);
  entry.cause = cause;
  m_settled.push_back(id);
  m_ended.push_back(id);
}

void Plan::drain() {
  for (std::size_t i = 0; i < m_ended.size(); ++i) {
    ended(m_ended[i]);
  }
  m_ended.clear();
}

void Plan::ended(NodeId id) {
  --m_open;
  for (NodeId up = id; up != k_no_node && m_entries[up].selected; up = m_graph[up].parent) {
    if (--m_entries[up].open_below == 0) {
      m_complete.push_back(up);
    }
  }
  if (m_entries[id].mode == Mode::align) {
    after_align(id);
  } else {
    after_remove(id);
  }
  advance_siblings(id);
}

void Plan::tell_children(NodeId id) {
  Entry& entry = m_entries[id];
  if (std::exchange(entry.released, true)) {
    return;
  }
  for (NodeId child : m_graph[id].children) {
    if (m_entries[child].selected && m_entries[child].mode == Mode::align) {
      free_or_block(child, entry.children, "ParentNotReady", id);
    }
  }
}

void Plan::after_align(NodeId id) {
  tell_children(id);
  const auto [begin, end] = m_followers.equal_range(id);
  for (auto follower = begin; follower != end; ++follower) {
    free_or_block(follower->second, true, "", id);
  }
  const Entry& entry = m_entries[id];
  for (NodeId dependent : m_graph[id].waited_by) {
    if (m_entries[dependent].selected && m_entries[dependent].mode == Mode::align) {
      free_or_block(dependent, entry.ready, "DependencyNotReady", id);
    }
  }
}

void Plan::after_remove(NodeId id) {
  bool gone = m_entries[id].ready;
  NodeId parent = m_graph[id].parent;
  if (parent != k_no_node && m_entries[parent].selected && m_entries[parent].mode == Mode::remove) {
    free_or_block(parent, gone, "ChildrenRemain", id);
  }
  for (NodeId dependency : m_graph[id].waits_for) {
    if (m_entries[dependency].selected && m_entries[dependency].mode == Mode::remove) {
      free_or_block(dependency, gone, "DependentsRemain", id);
    }
  }
}

void Plan::free_or_block(NodeId id, bool free, const char* reason, NodeId cause) {
  Entry& entry = m_entries[id];
  if (!free) {
    settle(id, NodeState::blocked, reason, cause);
  } else if (entry.hard > 0 && --entry.hard == 0) {
    make_ready(id);
  }
}

void Plan::make_ready(NodeId id) {
  Entry& entry = m_entries[id];
  if (entry.state == NodeState::waiting && entry.hard == 0 && !entry.behind) {
    entry.state = NodeState::ready;
    m_ready.push(id);
  }
}

void Plan::advance_siblings(NodeId id) {
  Siblings& siblings = siblings_of(id);
  --siblings.open[m_entries[id].rank_slot];
  while (siblings.current + 1 < siblings.ranks.size() && siblings.open[siblings.current] == 0) {
    ++siblings.current;
    for (NodeId next : siblings.ranks[siblings.current]) {
      m_entries[next].behind = false;
      make_ready(next);
    }
  }
}

// The order of kinds gives way where, together with dependsOn, it would leave nodes waiting for
// each other; explicit dependencies never do (their cycles are found when the graph is built).
void Plan::break_deadlock() {
  auto release = [&](auto&& held) {
    for (NodeId id = 0; id < m_entries.size(); ++id) {
      Entry& entry = m_entries[id];
      if (entry.selected && entry.state == NodeState::waiting && held(id, entry)) {
        entry.behind = false;
        entry.hard = 0;
        make_ready(id);
      }
    }
  };
  release([](NodeId, const Entry& entry) { return entry.hard == 0; });
  if (!m_ready.empty()) {
    return;
  }
  // What is left are cycles among nodes to remove: there only the children decide.
  release([](NodeId, const Entry& entry) {
    return entry.mode == Mode::remove && entry.open_below == 1;
  });
}

std::vector<NodeId> Plan::take_settled() { return std::exchange(m_settled, {}); }

std::vector<NodeId> Plan::take_complete_subtrees() { return std::exchange(m_complete, {}); }

}  // namespace kubist::engine
