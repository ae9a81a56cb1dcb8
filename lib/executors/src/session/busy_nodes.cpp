#include "session/busy_nodes.hpp"

#include <algorithm>

namespace kubist::executors {

using engine::Cause;
using engine::Graph;
using engine::Key;
using engine::NodeId;

bool BusyNodes::is_taken(const Key& key) const {
  return std::any_of(m_taken.begin(), m_taken.end(),
                     [&](const auto& run) { return run.second.contains(key); });
}

const Key* BusyNodes::taken_below(const Graph& graph, NodeId id) const {
  for (const NodeId below : graph.subtree(id)) {
    if (is_taken(graph[below].key)) {
      return &graph[below].key;
    }
  }
  return nullptr;
}

void BusyNodes::visit(NodeId id, Taking& taking) {
  if (taking.seen[id]) {
    return;
  }
  taking.seen[id] = true;
  const engine::Node& node = taking.graph[id];
  const bool goes = taking.graph.deleting(id);
  const Key* taken = goes                 ? taken_below(taking.graph, id)
                     : is_taken(node.key) ? &node.key
                                          : nullptr;
  if (taken != nullptr) {
    taking.left_out.push_back(id);
    m_waiting[*taken].emplace(node.key, goes ? Cause::deleted : Cause::changed);
    return;
  }
  ++taking.mine[node.key];
  for (const NodeId child : node.children) {
    visit(child, taking);
  }
}

std::vector<NodeId> BusyNodes::take(int run, const Graph& graph, const std::vector<NodeId>& tops) {
  ended(run);  // it plans anew
  const std::lock_guard lock(m_mutex);
  Taking taking{.graph = graph, .seen = std::vector<bool>(graph.size())};
  for (const NodeId top : tops) {
    visit(top, taking);
  }
  m_taken[run] = std::move(taking.mine);
  return std::move(taking.left_out);
}

bool BusyNodes::await(const Key& key, Cause cause) {
  const std::lock_guard lock(m_mutex);
  if (!is_taken(key)) {
    return false;
  }
  m_waiting[key].emplace(key, cause);
  return true;
}

void BusyNodes::ended(int run, const Key& key) {
  const std::lock_guard lock(m_mutex);
  const auto taken = m_taken.find(run);
  const auto node = taken == m_taken.end() ? Taken::iterator() : taken->second.find(key);
  if (taken == m_taken.end() || node == taken->second.end() || --node->second > 0) {
    return;
  }
  taken->second.erase(node);
  tell(key);
}

void BusyNodes::ended(int run) {
  const std::lock_guard lock(m_mutex);
  const auto taken = m_taken.extract(run);
  if (taken) {
    for (const auto& [key, count] : taken.mapped()) {
      tell(key);
    }
  }
}

void BusyNodes::tell(const Key& freed) {
  const auto waiting = m_waiting.extract(freed);
  if (waiting) {
    for (const auto& [key, cause] : waiting.mapped()) {
      m_asks(key, cause);
    }
  }
}

}  // namespace kubist::executors
