#pragma once
#include <optional>
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

engine::LeaseRecord record_of(const data::Json& lease);
/// The Lease with that content; `record` says also which version it replaces.
data::Json lease_of(const engine::LeaseRecord& record, const std::string& ns,
                    std::string_view name);

/// A Lease that a replica renews.
struct ReplicaLease {
  std::string ns, name, uid;
  engine::LeaseRecord record;
};
/// Nothing: it is no replica's, or is being deleted.
std::optional<ReplicaLease> replica_lease(const data::Json& lease);
/// That of "NAMESPACE/NAME"; nothing also where there is none.
util::Result<std::optional<ReplicaLease>> find_replica(kube::Client& home,
                                                       const std::string& reference);
/// Deletes it as it was read, after which nothing is held in its name. False: it has changed.
util::Result<bool> remove_replica(kube::Client& home, const ReplicaLease& lease);

}  // namespace kubist::executors
