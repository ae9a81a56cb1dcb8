#include <kubist/engine/graph.hpp>
#include <kubist/util/text.hpp>

namespace kubist::engine {

using util::cat;
using util::ErrorKind;

std::vector<NodeId> Graph::find(const Key& key) const {
  std::vector<NodeId> found;
  auto [begin, end] = m_index.equal_range(key);
  for (auto it = begin; it != end; ++it) {
    found.push_back(it->second);
  }
  std::sort(found.begin(), found.end());
  return found;
}

util::Result<std::vector<NodeId>> Graph::require(const Key& key) const {
  auto found = find(key);
  if (!found.empty()) {
    return found;
  }
  std::vector<std::string> names;
  for (const Node& node : m_nodes) {
    if (node.key.kind == key.kind && node.key.ns == key.ns) {
      names.push_back(node.key.name);
    }
  }
  std::string where = key.ns.empty() ? std::string() : cat(" in namespace ", key.ns);
  return util::fail(ErrorKind::not_found, cat("there is no ", to_string(key), where,
                                              util::did_you_mean(key.name, names)));
}

const Node* Graph::project_of(const std::string& ns) const {
  const auto found = m_project_of.find(ns);
  return found != m_project_of.end() ? &m_nodes[found->second] : nullptr;
}

std::vector<NodeId> Graph::subtree(NodeId id) const {
  std::vector<NodeId> order;
  std::vector<NodeId> stack{id};
  while (!stack.empty()) {
    NodeId next = stack.back();
    stack.pop_back();
    order.push_back(next);
    const auto& children = m_nodes[next].children;
    stack.insert(stack.end(), children.rbegin(), children.rend());
  }
  return order;
}

std::vector<NodeId> Graph::preorder() const {
  std::vector<NodeId> order;
  order.reserve(m_nodes.size());
  for (NodeId root : m_roots) {
    auto below = subtree(root);
    order.insert(order.end(), below.begin(), below.end());
  }
  return order;
}

bool Graph::suspended(NodeId id) const {
  for (; id != k_no_node; id = m_nodes[id].parent) {
    if (m_nodes[id].suspend) {
      return true;
    }
  }
  return false;
}

bool Graph::deleting(NodeId id) const {
  if (m_nodes[id].leaving) {
    return true;
  }
  for (NodeId up = id; up != k_no_node; up = m_nodes[up].parent) {
    if (m_nodes[up].deleting && (up == id || m_nodes[up].key.kind != "Root")) {
      return true;
    }
  }
  return false;
}

Json Graph::settings(NodeId id) const {
  Json merged = Json::object();
  for (; id != k_no_node; id = m_nodes[id].parent) {
    for (const auto& [name, value] : resources::settings_of(*m_nodes[id].object).items()) {
      merged.emplace(name, value);  // emplace keeps what is there: the nearer one
    }
  }
  return merged;
}

std::vector<util::Error> Graph::problems() const {
  std::vector<util::Error> problems;
  for (const Node& node : m_nodes) {
    if (node.problem) {
      problems.push_back(*node.problem);
    }
  }
  return problems;
}

}  // namespace kubist::engine
