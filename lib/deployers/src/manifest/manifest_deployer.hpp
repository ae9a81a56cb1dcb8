#pragma once
#include <kubist/deployers/deployer.hpp>

namespace kubist::deployers {

/// Keeps objects at the target as the config says: server-side apply, prune, readiness, exports.
/// Nothing runs between two looks. Objects go in the job with `remove`; without it they stay.
class ManifestDeployer : public Deployer {
 public:
  util::Result<> check(const Item& item, const Settings& settings) const override;
  util::Result<std::vector<Drifted>> drift(World& world, const Item& item,
                                           const Place& place) const override;
  Json announced(World& world, const Item& item, const Job& job) const override;
  util::Result<Progress> advance(World& world, const Item& item, const Job& job) const override;
  util::Result<Progress> preview(World& world, const Item& item, const Job& job) const override;
  Uninstall uninstall(const Item& item) const override;
  bool runs_pods() const override { return false; }
  bool takes_imports() const override { return false; }
};

const Deployer& manifest_deployer();

}  // namespace kubist::deployers
