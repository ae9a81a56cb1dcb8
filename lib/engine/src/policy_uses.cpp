#include "policy_uses.hpp"

#include <algorithm>

#include <kubist/engine/pipeline.hpp>
#include <kubist/util/threads.hpp>

namespace kubist::engine {

Json settings_for(const Graph& graph, NodeId id, const resources::NamedCall& call) {
  while (!call.imposed_by.empty() && id != k_no_node && to_string(graph[id]) != call.imposed_by) {
    id = graph[id].parent;
  }
  return id == k_no_node ? Json::object() : graph.settings(id);
}

namespace {

/// May that policy of the node call for a job?
bool may_call_jobs_by(const Graph& graph, NodeId id, const resources::NamedCall& call,
                      const PolicyCatalog& catalog) {
  const auto definition = catalog.find(graph[id], call);
  if (!definition || !(*definition)->calls_jobs) {
    return false;
  }
  const auto parameters =
      resolve_parameters(**definition, call.parameters, settings_for(graph, id, call));
  return parameters && (*definition)->calls_jobs(*parameters);
}

}  // namespace

std::vector<PolicyUse> metric_uses(const Graph& graph, NodeId id, const PolicyCatalog& catalog) {
  std::vector<PolicyUse> uses;
  const Node& node = graph[id];
  for (const auto& call : node.policies) {
    const auto definition = catalog.find(node, call);
    if (!definition) {
      continue;
    }
    auto parameters =
        resolve_parameters(**definition, call.parameters, settings_for(graph, id, call));
    if (parameters && !metrics_of(**definition, *parameters).empty()) {
      uses.push_back({*definition, *std::move(parameters)});
    }
  }
  return uses;
}

bool may_call_jobs(const Graph& graph, NodeId id, const PolicyCatalog& catalog) {
  const auto& policies = graph[id].policies;
  return std::any_of(policies.begin(), policies.end(), [&](const resources::NamedCall& call) {
    // What one node's objects make break is no other node's.
    const auto found = util::guarded(
        [&]() -> util::Result<bool> { return may_call_jobs_by(graph, id, call, catalog); });
    return found && *found;
  });
}

}  // namespace kubist::engine
