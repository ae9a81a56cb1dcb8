#include "releases/release_workloads.hpp"

#include <kubist/release/routes.hpp>
#include <kubist/resources/selector.hpp>
#include <kubist/util/text.hpp>

#include "keep/sites.hpp"

namespace kubist::executors {

using data::Json;
using metrics::Expected;
using util::cat;

namespace {

/// What the status of its Deployments says.
Expected<double> number_of(const release::WorkloadStatus& status, std::string_view what,
                           const std::string& labels) {
  if (status.deployments == 0) {
    return metrics::inconclusive(metrics::k_reason_no_data,
                                 cat("there is no Deployment whose pods have ", labels));
  }
  if (!status.behind.empty()) {
    return metrics::inconclusive(
        metrics::k_reason_stale,
        cat("the status of Deployment ", status.behind, " is about an earlier spec"));
  }
  if (what == release::k_availability) {
    return status.all_available ? 1 : 0;
  }
  return what == "replicas"            ? status.replicas
         : what == "updatedReplicas"   ? status.updated
         : what == "availableReplicas" ? status.available
                                       : status.unavailable;
}

}  // namespace

util::Result<Json> ReleaseWorkloads::answer(const engine::Node& node,
                                            const release::Snapshot& snapshot,
                                            const engine::WorkloadQuery& query,
                                            const std::stop_token& stop) {
  const bool one = !node.target.empty();
  Json clusters = Json::array();
  for (const std::string& target : release::targets_of(m_graph, node)) {
    KUBIST_TRY(const auto value, answer_on(target, node, snapshot, query, stop));
    if (!value) {
      return Json{{"reason", value.error().reason},
                  {"message", cat(one ? "" : target + ": ", to_string(engine::Query(query)), ": ",
                                  value.error().message)}};
    }
    if (one) {
      return Json{{"value", *value}};
    }
    clusters.push_back({{"name", target}, {"value", *value}});
  }
  return Json{{"clusters", std::move(clusters)}};
}

util::Result<Expected<double>> ReleaseWorkloads::answer_on(const std::string& target,
                                                           const engine::Node& node,
                                                           const release::Snapshot& snapshot,
                                                           const engine::WorkloadQuery& query,
                                                           const std::stop_token& stop) {
  const release::VersionWorkload& version =
      query.version == "canary" ? snapshot.canary : snapshot.stable;
  if (query.number != "cpu" && query.number != "memory") {
    const auto status = version.on.find(target);
    return number_of(status != version.on.end() ? status->second : release::WorkloadStatus{},
                     query.number, resources::label_text(version.labels));
  }
  KUBIST_TRY(const auto used, usage(target, node, version.labels, stop));
  if (!used) {
    return Expected<double>(tl::unexpected(used.error()));
  }
  return query.number == "cpu" ? used->cpu_cores : used->memory_bytes;
}

util::Result<Expected<metrics::WorkloadUsage>> ReleaseWorkloads::usage(
    const std::string& target, const engine::Node& node, const Json& labels,
    const std::stop_token& stop) {
  KUBIST_TRY(const auto place, m_world.sites.of(m_graph, node.key.ns, target, stop));
  const std::string selector = resources::label_text(labels);
  return m_usages.get(cat(node.key.ns, '/', target, '/', selector),
                      [&]() -> util::Result<Expected<metrics::WorkloadUsage>> {
                        return metrics::workload_usage(*place.client, place.ns, selector, stop);
                      });
}

}  // namespace kubist::executors
