#include "world/lease_record.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using data::Json;
using engine::LeaseRecord;
using util::cat;

namespace {

constexpr std::string_view k_run_annotation = "kubist.io/run";
constexpr std::int64_t k_day = 24 * 3600;  ///< in seconds

}  // namespace

LeaseRecord record_of(const Json& lease) {
  LeaseRecord record;
  record.holder = data::string_at(lease, {"spec", "holderIdentity"});
  record.run_id = data::string_at(lease, {"metadata", "annotations", k_run_annotation});
  record.replica = data::string_at(lease, {"metadata", "annotations", k_replica});
  record.renew_time = data::string_at(lease, {"spec", "renewTime"});
  record.transitions = data::count_at(lease, {"spec", "leaseTransitions"});
  record.duration = std::chrono::seconds(std::clamp<std::int64_t>(
      data::int_at(lease, {"spec", "leaseDurationSeconds"}, 15), 1, k_day));
  record.resource_version = data::string_at(lease, {"metadata", "resourceVersion"});
  return record;
}

Json lease_of(const LeaseRecord& record, const std::string& ns, std::string_view name) {
  Json lease{{"apiVersion", "coordination.k8s.io/v1"},
             {"kind", "Lease"},
             {"metadata", {{"name", name}, {"namespace", ns}, {"annotations", Json::object()}}},
             {"spec",
              {{"holderIdentity", record.holder},
               {"leaseDurationSeconds", record.duration.count()},
               {"renewTime", record.renew_time},
               {"leaseTransitions", record.transitions}}}};
  Json& metadata = lease["metadata"];
  for (const auto& [annotation, value] :
       {std::pair(k_run_annotation, record.run_id), std::pair(k_replica, record.replica)}) {
    if (!value.empty()) {
      metadata["annotations"][std::string(annotation)] = value;
    }
  }
  if (!record.resource_version.empty()) {
    metadata["resourceVersion"] = record.resource_version;
  }
  return lease;
}

std::optional<ReplicaLease> replica_lease(const Json& lease) {
  const resources::ObjectView view(lease);
  if (data::string_at(lease, {"metadata", "labels", k_replica}).empty() ||
      !view.deletion_timestamp().empty()) {
    return std::nullopt;
  }
  return ReplicaLease{std::string(view.ns()), std::string(view.name()), std::string(view.uid()),
                      record_of(lease)};
}

util::Result<std::optional<ReplicaLease>> find_replica(kube::Client& home,
                                                       const std::string& reference) {
  const auto parts = util::split(reference, '/');
  if (parts.size() != 2 || parts[0].empty() || parts[1].empty()) {
    return std::nullopt;
  }
  KUBIST_TRY(const auto found, home.find(kube::well_known::leases(), parts[0], parts[1]));
  return found ? replica_lease(*found) : std::nullopt;
}

util::Result<bool> remove_replica(kube::Client& home, const ReplicaLease& lease) {
  kube::DeleteOptions options;
  options.uid = lease.uid;
  options.resource_version = lease.record.resource_version;
  const auto removed =
      home.run(kube::remove(kube::well_known::leases(), lease.ns, lease.name, options));
  if (removed || removed.error().kind == util::ErrorKind::not_found) {
    return true;
  }
  if (kube::is_conflict(removed.error())) {
    return false;
  }
  return util::fail(
      util::with_context(removed.error(), cat("cannot delete the Lease ", lease.ns, '/', lease.name,
                                              " of a replica that does not renew it")));
}

}  // namespace kubist::executors
