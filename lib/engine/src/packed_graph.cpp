#include <algorithm>
#include <string_view>

#include <kubist/engine/packed_graph.hpp>

namespace kubist::engine {

namespace {

bool is_plain_leaf(const Node& node) {
  return node.children.empty() && node.waits_for.empty() && node.waited_by.empty() &&
         node.depends_on.empty() && node.policies.empty() && !node.executor && !node.selected &&
         node.target.empty() && !node.leaving && !node.suspend && !node.deleting &&
         !node.unreadable && !node.problem;
}

using Outlines = std::unordered_map<std::string, std::shared_ptr<const Json>>;

std::shared_ptr<const Json> outline_of(const std::string& kind, Outlines& outlines) {
  auto& outline = outlines[kind];
  if (!outline) {
    outline = std::make_shared<const Json>(Json{{"kind", kind}, {"metadata", Json::object()}});
  }
  return outline;
}

}  // namespace

PackedGraph::PackedGraph(const Graph& graph, const std::function<bool(const Node&)>& outlined)
    : m_objects({}), m_roots(graph.m_roots), m_project_of(graph.m_project_of) {
  const auto is_leaf = [&](const Node& node) { return outlined(node) && is_plain_leaf(node); };
  const auto leaves = std::count_if(graph.nodes().begin(), graph.nodes().end(), is_leaf);
  m_leaves.reserve(static_cast<std::size_t>(leaves));
  m_nodes.reserve(graph.size() - m_leaves.capacity());
  Outlines outlines;
  data::PackedObjects::Objects objects;
  for (const Node& node : graph.nodes()) {
    if (is_leaf(node)) {
      m_leaves.push_back({node.id, node.parent, place_of(node),
                          static_cast<std::uint32_t>(node.key.name.size()), node.rank});
      m_names += node.key.name;
      continue;
    }
    objects.push_back(outlined(node) ? outline_of(node.key.kind, outlines) : node.object);
    m_nodes.push_back(node);
    m_nodes.back().object = nullptr;
  }
  m_objects = data::PackedObjects(objects);
  m_names.shrink_to_fit();
}

Graph PackedGraph::unpack() const {
  Graph graph;
  graph.m_roots = m_roots;
  graph.m_project_of = m_project_of;
  graph.m_nodes.resize(m_nodes.size() + m_leaves.size());
  auto objects = m_objects.unpack();
  for (std::size_t i = 0; i < m_nodes.size(); ++i) {
    Node& node = graph.m_nodes[m_nodes[i].id] = m_nodes[i];
    node.object = std::move(objects[i]);
  }
  Outlines outlines;
  std::string_view names = m_names;
  for (const Leaf& leaf : m_leaves) {
    const Place& place = m_places[leaf.place];
    Node& node = graph.m_nodes[leaf.id];
    node.id = leaf.id;
    node.parent = leaf.parent;
    node.rank = leaf.rank;
    node.key = {place.group, place.kind, place.ns, std::string(names.substr(0, leaf.length))};
    node.foreign_status = place.foreign_status;
    node.object = outline_of(place.kind, outlines);
    names.remove_prefix(leaf.length);
  }
  for (const Node& node : graph.m_nodes) {
    graph.m_index.emplace(node.key, node.id);
  }
  return graph;
}

// Nodes come by kind and namespace, so that it is mostly the last one.
std::uint32_t PackedGraph::place_of(const Node& node) {
  Place place{node.key.group, node.key.kind, node.key.ns, node.foreign_status};
  auto found = std::find(m_places.rbegin(), m_places.rend(), place);
  if (found == m_places.rend()) {
    m_places.push_back(std::move(place));
    found = m_places.rbegin();
  }
  return static_cast<std::uint32_t>(std::distance(found, m_places.rend()) - 1);
}

}  // namespace kubist::engine
