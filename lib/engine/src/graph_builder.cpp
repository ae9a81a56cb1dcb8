#include "graph_builder.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/engine/targets.hpp>
#include <kubist/resources/execution_items.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/selector.hpp>
#include <kubist/util/text.hpp>

#include "impose.hpp"
#include "read_part.hpp"

namespace kubist::engine {

using util::cat;
using util::ErrorKind;

Graph Graph::build(std::vector<Node> nodes) { return GraphBuilder(std::move(nodes)).build(); }

namespace {

/// Is it of a kind that an ExecutorDefinition serves?
bool is_served(const Node& node) {
  return resources::find_kind(node.key.group, node.key.kind) == nullptr;
}

void set_problem(Node& node, util::Error problem) {
  if (!node.unreadable) {  // else it may be due to what could not be read
    node.problem_reason = problem.reason;
    node.problem = std::move(problem);
  }
}

/// Has the Project made or adopted that namespace, as its status tells?
bool keeps(const Node& project, const std::string& ns) {
  return data::string_at(project.status(), {"namespace"}) == ns;
}

/// The virtual cluster that it names.
void find_target(Node& node) {
  node.target = data::string_at(node.spec(), {"virtualClusterRef", "name"});
  if (node.target.empty() && is_served(node)) {
    set_problem(node, util::make_error(ErrorKind::invalid,
                                       cat(to_string(node), " names no virtual cluster"),
                                       "Set spec.virtualClusterRef or spec.virtualClusterSelector.",
                                       "NoVirtualCluster"));
  }
}

/// One node per virtual cluster that is selected, or was when something was made there. Where none
/// is selected the object is one node below its Project too, so that it is seen.
std::vector<Node> targets_of(Node node,
                             const std::vector<std::shared_ptr<const Json>>& virtual_clusters) {
  const auto selector = resources::LabelSelector::from_json(
      *data::find_path(node.spec(), {"virtualClusterSelector"}));
  std::set<std::string> names;
  for (const auto& object : virtual_clusters) {
    const resources::ObjectView view(*object);
    if (selector && view.ns() == node.key.ns && selector->matches(view.labels())) {
      names.emplace(view.name());
    }
  }
  node.selected.emplace(names.begin(), names.end());
  std::vector<Node> targets;
  const auto add = [&](const std::string& name, bool leaving) {
    Node& target = targets.emplace_back(node);
    target.become_target(name);
    target.leaving = leaving;
  };
  for (const std::string& name : names) {
    add(name, false);
  }
  for (const std::string& name : target_names(node.status())) {
    if (!names.contains(name)) {
      add(name, true);
    }
  }
  if (names.empty()) {
    auto problem = selector ? util::make_error(ErrorKind::invalid,
                                               cat(to_string(node),
                                                   ": virtualClusterSelector selects no "
                                                   "VirtualCluster in ",
                                                   node.key.ns),
                                               "Label one, or correct the selector.")
                            : selector.error();
    problem.reason = selector ? "NoVirtualCluster" : "InvalidSelector";
    set_problem(node, std::move(problem));
    targets.push_back(std::move(node));
  }
  return targets;
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

void GraphBuilder::expand_targets(std::vector<Node> nodes) {
  std::vector<std::shared_ptr<const Json>> virtual_clusters;
  for (const Node& node : nodes) {
    if (node.key.kind == "VirtualCluster") {
      virtual_clusters.push_back(node.object);
    }
  }
  const auto spread = std::stable_partition(nodes.begin(), nodes.end(), [](const Node& node) {
    return data::find_path(node.spec(), {"virtualClusterSelector"}) == nullptr;
  });
  std::for_each(nodes.begin(), spread, find_target);
  std::vector<Node> targets;
  for (auto node = spread; node != nodes.end(); ++node) {
    std::vector<Node> all;
    read_part(*node, [&] { all = targets_of(*node, virtual_clusters); });
    if (node->unreadable) {
      all = {std::move(*node)};
    }
    std::move(all.begin(), all.end(), std::back_inserter(targets));
  }
  nodes.erase(spread, nodes.end());
  m_graph.m_nodes = std::move(nodes);
  std::move(targets.begin(), targets.end(), std::back_inserter(m_graph.m_nodes));
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

void GraphBuilder::resolve_dependencies() {
  for (Node& node : m_graph.m_nodes) {
    for (const Key& dependency : node.depends_on) {
      auto found = m_graph.find(dependency);
      std::erase_if(found, [&](NodeId id) { return m_graph[id].leaving; });
      if (found.empty() && !node.problem) {
        std::string where =
            dependency.ns.empty() ? std::string() : cat(" in namespace ", dependency.ns);
        node.problem = util::make_error(ErrorKind::invalid,
                                        cat(to_string(node), " depends on ", to_string(dependency),
                                            ", which does not exist", where));
        node.problem->reason = node.problem_reason = "DependencyNotFound";
      }
      // Of several targets the one on the same virtual cluster is meant, where there is one.
      for (NodeId id : found) {
        if (!node.target.empty() && m_graph[id].target == node.target) {
          found = {id};
          break;
        }
      }
      for (NodeId id : found) {
        node.waits_for.push_back(id);
        m_graph.m_nodes[id].waited_by.push_back(node.id);
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
