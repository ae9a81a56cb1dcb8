#include "world/lease_record.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/process_mark.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using data::Json;
using engine::LeaseRecord;
using util::cat;

namespace {

constexpr std::string_view k_run_annotation = "kubist.io/run";
constexpr std::string_view k_process = "kubist.io/process";
constexpr std::int64_t k_day = 24 * 3600;       ///< in seconds
constexpr std::chrono::seconds k_patience{10};  ///< for answers that are of use

/// Runs beside a controller are often a project's, whose rights end at its namespace.
util::Error with_right(util::Error error, std::string_view ns) {
  if (error.kind == util::ErrorKind::forbidden) {
    error.hint =
        cat("A run beside a controller needs the rights to get and delete Leases in ", "namespace ",
            ns, ": an administrator grants them (docs/how-to/controller.md).");
  }
  return error;
}

}  // namespace

LeaseRecord record_of(const Json& lease) {
  LeaseRecord record;
  record.holder = data::string_at(lease, {"spec", "holderIdentity"});
  record.run_id = data::string_at(lease, {"metadata", "annotations", k_run_annotation});
  record.replica = data::string_at(lease, {"metadata", "annotations", k_replica});
  record.process = data::string_at(lease, {"metadata", "annotations", k_process});
  record.is_orphan = util::has_ended(record.process);
  record.wanted_by = data::string_at(lease, {"metadata", "annotations", k_take_over});
  record.renew_time = data::string_at(lease, {"spec", "renewTime"});
  record.transitions = data::count_at(lease, {"spec", "leaseTransitions"});
  record.duration = std::chrono::seconds(std::clamp<std::int64_t>(
      data::int_at(lease, {"spec", "leaseDurationSeconds"}, 15), 1, k_day));
  record.resource_version = data::string_at(lease, {"metadata", "resourceVersion"});
  record.uid = data::string_at(lease, {"metadata", "uid"});
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
       {std::pair(k_run_annotation, record.run_id), std::pair(k_replica, record.replica),
        std::pair(k_process, record.process)}) {
    if (!value.empty()) {
      metadata["annotations"][std::string(annotation)] = value;
    }
  }
  for (const auto& [key, value] :
       {std::pair("resourceVersion", record.resource_version), std::pair("uid", record.uid)}) {
    if (!value.empty()) {
      metadata[key] = value;
    }
  }
  return lease;
}

util::Result<std::optional<Json>> find_lease(kube::Client& home, std::string_view ns,
                                             std::string_view name, const std::stop_token& stop) {
  kube::ApiCall call = kube::get(kube::well_known::leases(), ns, name);
  call.timeout = k_patience;
  auto found = home.json(call, stop);
  if (found) {
    return std::optional(*std::move(found));
  }
  if (found.error().http_status == 404) {
    return std::nullopt;
  }
  return util::fail(found.error());
}

std::optional<ReplicaLease> replica_lease(const Json& lease) {
  const resources::ObjectView view(lease);
  if (data::string_at(lease, {"metadata", "labels", k_replica}).empty() ||
      !view.deletion_timestamp().empty()) {
    return std::nullopt;
  }
  return ReplicaLease{std::string(view.ns()), std::string(view.name()), record_of(lease)};
}

util::Result<std::optional<ReplicaLease>> find_replica(kube::Client& home,
                                                       const std::string& reference,
                                                       const std::stop_token& stop) {
  const auto parts = util::split(reference, '/');
  if (parts.size() != 2 || parts[0].empty() || parts[1].empty()) {
    return std::nullopt;
  }
  const auto found = find_lease(home, parts[0], parts[1], stop);
  if (!found) {
    return util::fail(with_right(
        util::with_context(found.error(), cat("cannot read the replica's Lease ", reference)),
        parts[0]));
  }
  return *found ? replica_lease(**found) : std::nullopt;
}

util::Result<bool> remove_replica(kube::Client& home, const ReplicaLease& lease) {
  kube::DeleteOptions options;
  options.uid = lease.record.uid;
  options.resource_version = lease.record.resource_version;
  kube::ApiCall call = kube::remove(kube::well_known::leases(), lease.ns, lease.name, options);
  call.timeout = k_patience;
  const auto removed = home.run(call);
  if (removed || removed.error().kind == util::ErrorKind::not_found) {
    return true;
  }
  if (kube::is_conflict(removed.error())) {
    return false;
  }
  return util::fail(with_right(
      util::with_context(removed.error(), cat("cannot delete the Lease ", lease.ns, '/', lease.name,
                                              " of a replica that does not renew it")),
      lease.ns));
}

}  // namespace kubist::executors
