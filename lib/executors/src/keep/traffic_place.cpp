#include "keep/traffic_place.hpp"

#include <set>

#include <kubist/istio/verdict.hpp>
#include <kubist/util/text.hpp>

#include "keep/sites.hpp"
#include "world/allow_lists.hpp"
#include "world/istio_wish.hpp"

namespace kubist::executors {

using data::Json;
using engine::Alignment;
using util::cat;

void tell_of_pods(Work& work, const TrafficPlace& place) {
  if (work.world().reads_workloads) {
    work.world().reads_workloads(work.node().key, {place.client, work.node().target, place.ns});
  }
}

util::Result<> require_project(const engine::Graph& graph, const std::string& ns) {
  return graph.project_of(ns) != nullptr
             ? util::Result<>{}
             : util::fail(util::ErrorKind::not_found, cat("no Project owns namespace ", ns), "",
                          "ParentNotFound");
}

util::Result<TrafficPlace> traffic_place(Work& work) {
  const engine::Node& node = work.node();
  const engine::Graph& graph = work.context().graph;
  Sites& sites = work.world().sites;
  KUBIST_CHECK(require_project(graph, node.key.ns));
  KUBIST_TRY(auto found, node.deleting
                             ? sites.for_removal(graph, node.key.ns, node.target, work.stop())
                             : sites.of(graph, node.key.ns, node.target, work.stop()));
  TrafficPlace place;
  place.own_client = sites.own(found);
  place.delete_client = found.deletions();
  place.client = std::move(found.client);
  place.cluster = std::move(found.cluster);
  place.ns = std::move(found.ns);
  place.names.ns = place.ns;
  if (node.parent != engine::k_no_node) {
    place.virtual_cluster = &graph[node.parent];
    const engine::NodeId cluster = place.virtual_cluster->parent;
    place.cluster_node = cluster != engine::k_no_node ? &graph[cluster] : nullptr;
  }
  return place;
}

util::Result<std::optional<kube::ApiResource>> served(Work& work, const TrafficPlace& place,
                                                      std::string_view group,
                                                      std::string_view kind) {
  return place.client->discovery().served(group, "", kind, work.stop());
}

util::Result<kube::ApiResource> require_served(Work& work, const TrafficPlace& place,
                                               std::string_view group, std::string_view kind) {
  KUBIST_TRY(const auto found, served(work, place, group, kind));
  if (!found) {
    return util::fail(refused("NotServed", cat("the cluster does not serve ", kind, '.', group),
                              group == k_istio_group ? "Install Istio: kubist istio install."
                                                     : "Install the Gateway API's CRDs."));
  }
  return *found;
}

std::vector<std::string> gateway_namespaces(const engine::Graph& graph, const engine::Node& node,
                                            const std::string& cluster, const std::string& ns) {
  if (!cluster.empty()) {
    return {""};
  }
  const auto named = allowed_by(graph, node, "gateways")
                         .value_or(std::vector<std::string>{"istio-system", "istio-ingress"});
  std::set<std::string> all(named.begin(), named.end());
  if (all.contains("*")) {
    return {""};
  }
  all.insert(ns);
  return {all.begin(), all.end()};
}

util::Result<std::optional<Alignment>> istio_gate(Work& work, const TrafficPlace& place) {
  if (place.cluster_node == nullptr) {
    return std::nullopt;
  }
  const IstioWish wish =
      istio_wish(work.context().graph, *place.cluster_node, place.cluster_node->spec());
  if (wish.mode == "Ignore") {
    return std::nullopt;
  }
  Connections& connections = work.world().connections;
  KUBIST_TRY(const auto connection,
             connections.connect(*place.cluster_node->object,
                                 allowed_servers(work.context().graph, *place.cluster_node), false,
                                 work.stop()));
  KUBIST_TRY(const auto evidence, connections.istio(*connection, work.stop()));
  const istio::Report report = judge_istio(*evidence, wish, *place.cluster_node,
                                           own_home_uid(work.world(), *connection), place.ns);
  if (report.ready || report.verdict == istio::Verdict::unknown) {
    return std::nullopt;
  }
  Alignment gated = waiting(
      "IstioNotReady", cat("nothing is written while Istio is not ready: ", istio::summary(report)),
      std::chrono::seconds(15));
  gated.conditions.push_back(
      {"IstioReady", "False", istio::condition_reason(report), istio::summary(report)});
  if (work.dry()) {
    gated.requeue_after.reset();  // nothing changes in a dry run
  }
  return gated;
}

Json effective_object(Work& work) {
  Json object = *work.node().object;
  object["spec"] = work.spec();
  return object;
}

util::Result<std::vector<Json>> list_here(Work& work, const TrafficPlace& place,
                                          const std::optional<kube::ApiResource>& resource) {
  if (!resource) {
    return std::vector<Json>{};
  }
  KUBIST_TRY(auto list, place.client->list(*resource, place.ns, {}, work.stop()));
  return std::move(list.items);
}

Alignment waiting(std::string reason, std::string message, std::chrono::milliseconds again) {
  Alignment alignment;
  alignment.outcome = engine::Outcome::progressing;
  alignment.reason = std::move(reason);
  alignment.message = std::move(message);
  alignment.requeue_after = again;
  return alignment;
}

util::Error refused(std::string reason, std::string message, std::string hint) {
  return util::make_error(util::ErrorKind::invalid, std::move(message), std::move(hint),
                          std::move(reason));
}

}  // namespace kubist::executors
