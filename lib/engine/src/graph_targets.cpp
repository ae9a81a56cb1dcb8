#include <algorithm>
#include <map>
#include <set>

#include <kubist/data/memory.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/engine/targets.hpp>
#include <kubist/resources/selector.hpp>
#include <kubist/util/text.hpp>

#include "graph_builder.hpp"
#include "read_part.hpp"

// An object with a virtualClusterSelector is a node on each virtual cluster.
namespace kubist::engine {

using util::cat;
using util::ErrorKind;

namespace {

constexpr std::size_t k_max_selected = 500;
constexpr std::size_t k_max_entries = 1'000;                   // of status.targets
constexpr std::size_t k_max_targets = 50'000;                  // of a namespace
constexpr std::size_t k_max_copies = std::size_t{256} << 20U;  // of a namespace

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

/// What each target has a copy of.
std::size_t memory_of_copies(const Node& node) {
  std::size_t bytes = data::memory_of(node.metadata().value("finalizers", Json())) +
                      data::memory_of(node.status().value("handledRequest", Json()));
  for (const resources::NamedCall& policy : node.policies) {
    bytes += data::memory_of(policy.parameters);
  }
  return node.executor ? bytes + data::memory_of(node.executor->parameters) : bytes;
}

/// What the objects of one namespace became.
class Targets {
 public:
  /// One node per virtual cluster that is selected, or was when something was made there. Where
  /// none is selected the object is one node below its Project too, so that it is seen.
  std::vector<Node> of(Node node,
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
    if (node.deleting) {
      return going(std::move(node), names);
    }
    select(node, names);
    std::vector<std::string> leaving = target_names(node.status());
    std::erase_if(leaving, [&](const std::string& name) { return names.contains(name); });
    if (const std::string why = too_many(node, leaving.size()); !why.empty()) {
      set_problem(
          node, util::make_error(ErrorKind::invalid, cat(to_string(node), ": ", why),
                                 "Select fewer virtual clusters, or move some to another Project.",
                                 "TooManyTargets"));
      return {std::move(node)};
    }
    std::vector<Node> targets = spread(node, leaving);
    if (names.empty()) {
      set_problem(node, selector ? none_selected(node)
                                 : util::with_reason(selector.error(), "InvalidSelector"));
      targets.push_back(std::move(node));
    }
    return targets;
  }

 private:
  static void select(Node& node, const std::set<std::string>& names) {
    node.selected = std::make_shared<const std::vector<std::string>>(names.begin(), names.end());
  }

  /// Where something was made, whatever it selects now: no limit keeps an object from going. What
  /// does not fit comes when this is gone; the object itself is a node then, too, which waits.
  std::vector<Node> going(Node node, const std::set<std::string>& selected) {
    std::vector<std::string> made = target_names(node.status());
    const std::size_t each = memory_of_copies(node);
    const std::size_t fits =
        std::min({k_max_selected, k_max_targets - m_count, (k_max_copies - m_copies) / (each + 1)});
    const bool whole = !made.empty() && made.size() <= fits;
    made.resize(std::min(made.size(), fits));
    m_count += made.size();
    m_copies += made.size() * each;
    const auto leaving = std::stable_partition(
        made.begin(), made.end(), [&](const std::string& name) { return selected.contains(name); });
    select(node, {made.begin(), leaving});
    std::vector<Node> targets = spread(node, {leaving, made.end()});
    if (!whole) {
      targets.push_back(std::move(node));
    }
    return targets;
  }

  /// Why it cannot be spread; else its targets are counted.
  std::string too_many(const Node& node, std::size_t leaving) {
    const std::size_t entries = data::array_at(node.status(), {"targets"}).size();
    const std::size_t count = node.selected->size() + leaving;
    const std::size_t copies = count * memory_of_copies(node);
    if (node.selected->size() > k_max_selected) {
      return cat("virtualClusterSelector selects ", node.selected->size(),
                 " virtual clusters, more than ", k_max_selected);
    }
    if (entries > k_max_entries) {
      return cat("status.targets has ", entries, " entries, more than ", k_max_entries);
    }
    if (m_count + count > k_max_targets) {
      return cat("with it the objects of namespace ", node.key.ns, " have more than ",
                 k_max_targets, " targets");
    }
    if (m_copies + copies > k_max_copies) {
      return cat("with it the policies of namespace ", node.key.ns, " take more than ",
                 k_max_copies >> 20U, " MiB on their targets");
    }
    m_count += count;
    m_copies += copies;
    return "";
  }

  static std::vector<Node> spread(const Node& node, const std::vector<std::string>& leaving) {
    std::vector<Node> targets;
    const auto add = [&](const std::vector<std::string>& names, bool leave) {
      for (const std::string& name : names) {
        Node& target = targets.emplace_back(node);
        target.become_target(name);
        target.leaving = leave;
      }
    };
    add(*node.selected, false);
    add(leaving, true);
    return targets;
  }

  static util::Error none_selected(const Node& node) {
    return util::make_error(
        ErrorKind::invalid,
        cat(to_string(node), ": virtualClusterSelector selects no VirtualCluster in ", node.key.ns),
        "Label one, or correct the selector.", "NoVirtualCluster");
  }

  std::size_t m_count = 0;
  std::size_t m_copies = 0;
};

}  // namespace

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
  // What goes makes room for what stays.
  std::stable_partition(spread, nodes.end(), [](const Node& node) { return node.deleting; });
  std::map<std::string, Targets> by_namespace;
  std::vector<Node> targets;
  for (auto node = spread; node != nodes.end(); ++node) {
    std::vector<Node> all;
    read_part(*node, [&] { all = by_namespace[node->key.ns].of(*node, virtual_clusters); });
    if (node->unreadable) {
      all = {std::move(*node)};
    }
    std::move(all.begin(), all.end(), std::back_inserter(targets));
  }
  nodes.erase(spread, nodes.end());
  m_graph.m_nodes = std::move(nodes);
  std::move(targets.begin(), targets.end(), std::back_inserter(m_graph.m_nodes));
}

}  // namespace kubist::engine
