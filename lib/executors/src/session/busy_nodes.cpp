#include "session/busy_nodes.hpp"

#include <algorithm>
#include <utility>

#include <kubist/resources/kinds.hpp>

namespace kubist::executors {

using engine::Cause;
using engine::Graph;
using engine::Key;
using engine::NodeId;

std::string project_of(const engine::Node& node) {
  return node.key.kind == "Project" ? resources::project_namespace(*node.object) : node.key.ns;
}

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
  if (!allows(project_of(node))) {
    taking.left_out.push_back(id);
    return;
  }
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
  const std::lock_guard lock(m_mutex);
  forget(run);  // it plans anew
  Taking taking{.graph = graph, .seen = std::vector<bool>(graph.size())};
  for (const NodeId top : tops) {
    visit(top, taking);
  }
  await_others(taking, std::exchange(m_ended[run], {}));
  m_taken[run] = std::move(taking.mine);
  return std::move(taking.left_out);
}

bool BusyNodes::await(const Key& key, const engine::Trigger& cause) {
  const std::lock_guard lock(m_mutex);
  if (!is_taken(key)) {
    return false;
  }
  m_waiting[key].emplace(key, cause);
  return true;
}

// Their run may not know of what waits for them, nor this one's tree that they are ready by now.
void BusyNodes::await_others(const Taking& taking, const std::set<Key>& ended) {
  const Graph& graph = taking.graph;
  for (const engine::Node& node : graph.nodes()) {
    if (!taking.seen[node.id] || !taking.mine.contains(node.key)) {
      continue;
    }
    std::vector<NodeId> awaited = node.waits_for;
    if (node.parent != engine::k_no_node) {
      awaited.push_back(node.parent);
    }
    for (const NodeId id : awaited) {
      const engine::Node& other = graph[id];
      if (taking.mine.contains(other.key) || other.status_summary.ready == "True") {
        continue;
      }
      if (is_taken(other.key)) {
        m_waiting[other.key].emplace(node.key, Cause::changed);
      } else if (ended.contains(other.key)) {
        m_asks(node.key, Cause::changed);
      }
    }
  }
}

void BusyNodes::begin(int run) {
  const std::lock_guard lock(m_mutex);
  m_ended[run].clear();
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
  forget(run);
  m_ended.erase(run);
}

void BusyNodes::forget(int run) {
  const auto taken = m_taken.extract(run);
  if (taken) {
    for (const auto& [key, count] : taken.mapped()) {
      tell(key);
    }
  }
}

void BusyNodes::share() {
  const std::lock_guard lock(m_mutex);
  m_allowed.emplace();
}

void BusyNodes::allow(const std::string& ns) {
  const std::lock_guard lock(m_mutex);
  m_allowed->insert(ns);
}

bool BusyNodes::disallow(const std::string& ns, const std::vector<Key>& projects) {
  const std::lock_guard lock(m_mutex);
  for (const auto& [run, taken] : m_taken) {
    for (const auto& [key, count] : taken) {
      if (key.ns == ns || std::find(projects.begin(), projects.end(), key) != projects.end()) {
        return false;
      }
    }
  }
  m_allowed->erase(ns);
  return true;
}

void BusyNodes::forbid(const std::string& ns) {
  const std::lock_guard lock(m_mutex);
  m_allowed->erase(ns);
}

bool BusyNodes::is_allowed(const Graph& graph, const Key& key) const {
  const auto found = graph.find(key);
  const std::lock_guard lock(m_mutex);
  return allows(found.empty() ? key.ns : project_of(graph[found.front()]));
}

bool BusyNodes::allows(const std::string& ns) const {
  return !m_allowed || ns.empty() || m_allowed->contains(ns);
}

void BusyNodes::tell(const Key& freed) {
  for (auto& [run, ended] : m_ended) {
    ended.insert(freed);
  }
  const auto waiting = m_waiting.extract(freed);
  if (waiting) {
    for (const auto& [key, cause] : waiting.mapped()) {
      m_asks(key, cause);
    }
  }
}

}  // namespace kubist::executors
