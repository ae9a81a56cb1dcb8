#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <kubist/data/json.hpp>
#include <kubist/engine/lock.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/util/result.hpp>

namespace kubist::executors {

inline constexpr std::string_view k_project_lease = "kubist";  ///< in a project's namespace
/// The label of replicas' Leases, and the annotation of projects' that names one of them.
inline constexpr std::string_view k_replica = "kubist.io/replica";

/// The annotation of a project's Lease by which somebody asks a replica for it.
inline constexpr std::string_view k_take_over = "kubist.io/take-over";

engine::LeaseRecord record_of(const data::Json& lease);
/// The Lease with that content; `record` says also which version of which one it replaces: an API
/// server makes a Lease again that is gone, but for a uid.
data::Json lease_of(const engine::LeaseRecord& record, const std::string& ns,
                    std::string_view name);

/// Nothing: there is none. An answer that takes longer than 10 s is an error.
util::Result<std::optional<data::Json>> find_lease(kube::Client& home, std::string_view ns,
                                                   std::string_view name,
                                                   const std::stop_token& stop);

/// A Lease that a replica renews.
struct ReplicaLease {
  std::string ns, name;
  engine::LeaseRecord record;
};
/// Nothing: it is no replica's, or is being deleted.
std::optional<ReplicaLease> replica_lease(const data::Json& lease);
/// That of "NAMESPACE/NAME"; nothing also where there is none. An error says which right it takes.
util::Result<std::optional<ReplicaLease>> find_replica(kube::Client& home,
                                                       const std::string& reference,
                                                       const std::stop_token& stop);
/// Deletes it as it was read, after which nothing is held in its name. False: it has changed.
util::Result<bool> remove_replica(kube::Client& home, const ReplicaLease& lease);

}  // namespace kubist::executors
