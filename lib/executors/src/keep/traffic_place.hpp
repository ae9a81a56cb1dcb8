#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/engine/executor.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/kube/writer.hpp>
#include <kubist/traffic/route.hpp>

#include "world/work.hpp"

namespace kubist::executors {

inline constexpr std::string_view k_istio_group = "networking.istio.io";
inline constexpr std::string_view k_gateway_api_group = "gateway.networking.k8s.io";

/// Where the objects of one traffic node are: the namespace of its VirtualCluster.
struct TrafficPlace {
  std::shared_ptr<kube::Client> client;         ///< as whom the project's objects are handled
  std::shared_ptr<kube::Client> delete_client;  ///< for deleting what the inventory has
  std::shared_ptr<kube::Client> own_client;     ///< kubist's own: for what is not the project's
  std::string cluster;                          ///< empty: home
  std::string ns;
  traffic::Place names;
  const engine::Node* virtual_cluster = nullptr;
  const engine::Node* cluster_node = nullptr;
  /// The client's account is no project's: an object without kubist's mark is never taken for ours.
  bool by_account = false;
  /// For the project's objects. As long as this.
  kube::Target target() const { return {*client, cluster}; }
};

/// Not_found: its VirtualCluster does not exist, or no Project owns its namespace; else as
/// Connections::connect.
util::Result<TrafficPlace> traffic_place(Work& work);
/// Not_found: no Project owns that namespace. Whoever may write there has no project's rights, and
/// the caller's are not for him.
util::Result<> require_project(const engine::Graph& graph, const std::string& ns);

/// Tells whoever watches that the node reads pods there.
void tell_of_pods(Work& work, const TrafficPlace& place);

/// The kind in the version that the cluster prefers, or nothing where it does not serve it. Errors
/// as of kube::Discovery::served().
util::Result<std::optional<kube::ApiResource>> served(Work& work, const TrafficPlace& place,
                                                      std::string_view group,
                                                      std::string_view kind);
/// The same; invalid, reason NotServed, where it is not served.
util::Result<kube::ApiResource> require_served(Work& work, const TrafficPlace& place,
                                               std::string_view group, std::string_view kind);

/// Where to look for pods that the selector of an EntryGateway means, as kubist's own client sees
/// them; an empty name is all namespaces. At a target that is what its credentials may see. At home
/// the selector is the text of a member: only the node's own namespace, and those that
/// spec.allow.gateways of its Project or the Root names (without it those of Istio's own gateways).
std::vector<std::string> gateway_namespaces(const engine::Graph& graph, const engine::Node& node,
                                            const std::string& cluster, const std::string& ns);

/// What a node that needs Istio answers while the cluster's Istio is known not to work; nothing
/// when it may go on (also where the Cluster's spec says not to look, or where nobody may look).
util::Result<std::optional<engine::Alignment>> istio_gate(Work& work, const TrafficPlace& place);

/// The node's object with the spec that its policies gave.
data::Json effective_object(Work& work);

/// A list of the place's namespace; an empty one where the cluster does not serve the kind.
util::Result<std::vector<data::Json>> list_here(Work& work, const TrafficPlace& place,
                                                const std::optional<kube::ApiResource>& resource);

/// The node waits; it is looked at again within the run.
engine::Alignment waiting(std::string reason, std::string message, std::chrono::milliseconds again);

/// An invalid input, with a reason for the conditions.
util::Error refused(std::string reason, std::string message, std::string hint);

}  // namespace kubist::executors
