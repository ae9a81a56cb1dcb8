#include "graph_builder.hpp"

#include <algorithm>
#include <compare>
#include <map>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/execution_items.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "impose.hpp"
#include "read_part.hpp"

namespace kubist::engine {

using util::cat;
using util::ErrorKind;

Graph Graph::build(std::vector<Node> nodes) { return GraphBuilder(std::move(nodes)).build(); }

bool is_served(const Node& node) {
  return resources::find_kind(node.key.group, node.key.kind) == nullptr;
}

void set_problem(Node& node, util::Error problem) {
  if (!node.unreadable) {  // else it may be due to what could not be read
    node.problem_reason = problem.reason;
    node.problem = std::move(problem);
  }
}

namespace {

/// Has the Project made or adopted that namespace, as its status tells?
bool keeps(const Node& project, const std::string& ns) {
  return data::string_at(project.status(), {"namespace"}) == ns;
}

}  // namespace

GraphBuilder::GraphBuilder(std::vector<Node> nodes) { expand_targets(std::move(nodes)); }

Graph GraphBuilder::build() {
  sort_and_index();
  find_projects();
  resolve_parents();
  impose_policies();
  resolve_dependencies();
  check_items();
  raise_ranks();
  sort_children();
  find_cycles();
  return std::move(m_graph);
}

void GraphBuilder::sort_and_index() {
  /// A node's place in the order, without the node.
  struct Place {
    unsigned rank;
    std::string_view ns, name, target;
    NodeId id;
    auto operator<=>(const Place&) const = default;
  };
  auto& nodes = m_graph.m_nodes;
  std::vector<Place> places;
  places.reserve(nodes.size());
  for (Node& node : nodes) {
    const int order = resources::kind_order(node.key.group, node.key.kind);
    node.rank = static_cast<unsigned>(order < 0 ? resources::kinds().size() : order);
    places.push_back(
        {node.rank, node.key.ns, node.key.name, node.target, static_cast<NodeId>(places.size())});
  }
  std::sort(places.begin(), places.end());
  std::vector<Node> sorted;
  sorted.reserve(nodes.size());
  m_graph.m_index.reserve(nodes.size());
  for (const Place& place : places) {
    Node& node = sorted.emplace_back(std::move(nodes[place.id]));
    node.id = static_cast<NodeId>(sorted.size() - 1);
    m_graph.m_index.emplace(node.key, node.id);
  }
  nodes = std::move(sorted);
}

// Who keeps a namespace goes on, whoever else claims it.
void GraphBuilder::find_projects() {
  std::vector<std::pair<std::string, NodeId>> claims;
  for (const Node& node : m_graph.m_nodes) {
    if (node.key.kind == "Project") {
      claims.emplace_back(resources::project_namespace(*node.object), node.id);
      if (keeps(node, claims.back().first)) {
        m_graph.m_project_of.emplace(claims.back());
      }
    }
  }
  for (const auto& [ns, id] : claims) {
    const Node& owner = m_graph[m_graph.m_project_of.try_emplace(ns, id).first->second];
    if (owner.id != id && keeps(owner, ns)) {
      set_problem(m_graph.m_nodes[id],
                  util::make_error(ErrorKind::invalid,
                                   cat("namespace ", ns, " belongs to ", to_string(owner)),
                                   "Choose another spec.namespace, or delete its owner first.",
                                   "NamespaceTaken"));
    }
  }
}

NodeId GraphBuilder::find_parent(const Node& node, std::string& missing) const {
  auto parent = node.target.empty() ? resources::parent_of(*node.object)
                                    : Key{std::string(resources::k_kubist_group), "VirtualCluster",
                                          node.key.ns, node.target};
  if (!parent && is_served(node)) {
    parent = Key{std::string(resources::k_kubist_group), "Project", "", ""};
  }
  if (!parent) {
    return k_no_node;
  }
  if (parent->kind == "Project" && parent->name.empty()) {
    const Node* project = m_graph.project_of(node.key.ns);
    if (project == nullptr) {
      if (!node.foreign_status) {  // a DeployItem may stand by itself
        missing = cat("no Project owns namespace ", node.key.ns);
      }
      return k_no_node;
    }
    return project->id;
  }
  auto found = m_graph.m_index.find(*parent);
  if (found != m_graph.m_index.end()) {
    return found->second;
  }
  if (parent->kind != "Root") {  // the Root is optional
    missing = cat("there is no ", to_string(*parent), " in namespace ", node.key.ns);
  }
  return k_no_node;
}

void GraphBuilder::resolve_parents() {
  for (Node& node : m_graph.m_nodes) {
    std::string missing;
    read_part(node, [&] { node.parent = find_parent(node, missing); });
    if (node.parent == k_no_node) {
      m_graph.m_roots.push_back(node.id);
    } else {
      m_graph.m_nodes[node.parent].children.push_back(node.id);
    }
    if (!missing.empty()) {
      set_problem(node, util::make_error(
                            ErrorKind::invalid, cat(to_string(node), " has no parent: ", missing),
                            "apply its parent first, or correct the reference", "ParentNotFound"));
    }
  }
}

// From the inside out: what stands higher comes earlier, or later where it comes last.
void GraphBuilder::impose_policies() {
  std::map<NodeId, std::vector<resources::Imposition>> all;
  for (Node& node : m_graph.m_nodes) {
    read_part(node, [&] {
      if (auto found = impositions_of(node); !found.empty()) {
        all.emplace(node.id, std::move(found));
      }
    });
  }
  for (Node& node : m_graph.m_nodes) {
    for (NodeId up = all.empty() ? k_no_node : node.parent; up != k_no_node;
         up = m_graph.m_nodes[up].parent) {
      if (const auto found = all.find(up); found != all.end()) {
        impose(node, found->second, to_string(m_graph.m_nodes[up]));
      }
    }
  }
}

// Found before anything runs. What policies may still change is checked when they have.
void GraphBuilder::check_items() {
  for (Node& node : m_graph.m_nodes) {
    if (node.key.kind != "Execution" || node.problem || !node.policies.empty()) {
      continue;
    }
    read_part(node, [&] {
      const auto problems = resources::item_problems(node.spec());
      if (!problems.empty()) {
        set_problem(node, util::make_error(ErrorKind::invalid,
                                           cat(to_string(node), ": ", problems[0].message),
                                           problems[0].hint, "InvalidItem"));
      }
    });
  }
}

}  // namespace kubist::engine
