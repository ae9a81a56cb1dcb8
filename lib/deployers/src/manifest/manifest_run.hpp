#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <kubist/deployers/deployer.hpp>
#include <kubist/deployers/logs.hpp>

#include "manifest/managed.hpp"
#include "manifest/manifest_plan.hpp"

namespace kubist::deployers {

/// Of the provider status: the job whose objects are made.
inline constexpr const char* k_applied_job = "appliedJob";

/// Fills in ManifestPlan::entries; asked for only where they are needed, as that may be costly.
using FillEntries = std::function<util::Result<>(ManifestPlan& plan)>;

/// One look at a job that brings a plan to a target: note what is to be made, make it, delete what
/// is no longer wanted, wait until it is ready, collect exports. What has been done is read from
/// the item's status and the cluster, so that any kubist can go on. One thread.
class ManifestRun {
 public:
  ManifestRun(World& world, const Item& item, const Job& job);

  util::Result<Progress> advance(ManifestPlan plan, const FillEntries& fill);
  /// The same for a job with `remove`. Objects of policy keep stay.
  util::Result<Progress> remove();
  /// The provider status that says what advance() makes; empty: it has to look first, or fails.
  Json announced(ManifestPlan plan);
  /// What advance() would make and delete, told to a writer that is dry; Deployer::preview().
  util::Result<Progress> preview(ManifestPlan plan, const FillEntries& fill);

 private:
  using Step = util::Result<std::optional<Progress>>;

  Step leave_former_target();
  Step note(ManifestPlan& plan);
  bool only_repairs(const ManifestPlan& plan);
  Step apply(ManifestPlan& plan);
  Step prune();
  Step await_ready(const ManifestPlan& plan);
  util::Result<Progress> collect(const ManifestPlan& plan);

  /// The job at the target that has the noted objects: another one than the item's when that was
  /// changed since.
  util::Result<Job> job_at_noted_target() const;
  std::optional<std::string> stale_namespace() const;
  Progress progress(Progress::State state, std::string operation, std::string reason,
                    const std::string& message) const;
  Progress failure(const util::Error& error, std::string operation) const;
  Progress waiting(const Pending& pending, std::string operation, std::string reason,
                   std::string_view what) const;

  World& m_world;
  const Item& m_item;
  Job m_job;
  Redactor m_redactor;
  std::vector<Managed> m_managed;
  std::string m_target;  ///< where they are
  Json m_warnings;       ///< of this job, or null: none, and none before
  bool m_applied;
};

/// What of the default and custom checks does not hold yet; an error where it never will.
util::Result<Pending> check_readiness(World& world, const Item& item, const Job& job,
                                      const std::vector<Managed>& managed,
                                      const ManifestPlan& plan);

/// Values of the export rules as a map; keys that are not to be had yet are in `pending`.
util::Result<Json> collect_exports(World& world, const Item& item, const Job& job,
                                   const ManifestPlan& plan, Pending& pending);

/// The live object that a selector names, at the job's place; nothing where it does not exist (or
/// its kind does not). What the item may not read is an error, see limits.hpp.
struct Found {
  kube::ApiResource resource;
  std::string ns;
  std::optional<Json> object;
};
util::Result<std::optional<Found>> find_object(World& world, const Item& item, const Job& job,
                                               const ObjectSelector& selector);

}  // namespace kubist::deployers
