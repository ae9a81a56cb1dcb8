#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/apply/owned.hpp>
#include <kubist/deployers/deployer.hpp>

#include "manifest/manifest_plan.hpp"

namespace kubist::deployers {

/// One object of an item, as status.providerStatus.managedResources records it.
struct Managed : apply::Recorded {
  ManagePolicy policy = ManagePolicy::manage;
  bool stale = false;  ///< no longer in the config: to be deleted
  Json annotate_before_delete, patch_before_delete;
  std::optional<OnDrift> drift = std::nullopt;  ///< of the object itself; nothing: as the item's
  /// apply::applied_fields() when it was applied; empty: they do not count.
  std::string fields = {};
  std::string resource_version = {};  ///< as this run saw it; not recorded
  bool ready = false;                 ///< by what its apply answered in this step; not recorded
};

std::vector<Managed> managed_of(const Item& item);
Json managed_json(const std::vector<Managed>& managed);
/// "Kind ns/name", for messages.
std::string name_of(const resources::ObjectRef& ref);
/// Under which the item applies its objects. Not by the item's uid: an item that is made again
/// takes up where the one before ended.
std::string field_manager_of(const Item& item);
/// On what this item made or took over.
apply::OwnerMark mark_of(const Item& item);

/// What a step found to wait for.
struct Pending {
  std::vector<std::string> lines;  ///< "Deployment shop/web: 0 of 1 replicas ready"
  std::vector<WatchRequest> watch;
  std::optional<std::chrono::milliseconds> ask_again;  ///< a deadline that may pass unseen
  /// Waits for the object, or without a name for all with the labels, for the reason `line`.
  void add(const Job& job, const kube::ApiResource& resource, const std::string& ns,
           const std::string& name, std::string line, const std::string& labels = {});
  bool empty() const { return lines.empty(); }
  /// "waiting for A; B; and 3 more".
  std::string message(std::string_view what) const;
};

/// One step of deleting objects, in the reverse order of an apply, each with its uid as
/// precondition: asks for the deletion of the first wave that is not gone. `managed` loses what is
/// gone, and what turned out to be somebody else's (told to World::progress); pending is empty when
/// nothing is left.
util::Result<Pending> delete_step(World& world, const Item& item, const Job& job,
                                  std::vector<Managed>& managed);

}  // namespace kubist::deployers
