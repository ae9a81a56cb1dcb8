#pragma once
#include <kubist/deployers/deployer.hpp>

namespace kubist::deployers {

/// Keeps objects at the target as the config says: server-side apply, prune, readiness, exports.
class ManifestDeployer : public Deployer {
 public:
  util::Result<> check(const Item& item, const Settings& settings) const override;
  Json identity(const Item& item, const Settings& settings) const override;
  util::Result<std::vector<Drifted>> drift(World& world, const Item& item,
                                           const Place& place) const override;
  util::Result<Progress> advance(World& world, const Item& item, const Job& job) const override;
  /// Nothing runs between two looks.
  util::Result<Progress> stop(World& world, const Item& item, const Job& job) const override;
  Uninstall uninstall(const Item& item) const override;
  /// Objects go in the job with `remove`; without that run they stay.
  util::Result<Progress> clean_up(World& world, const Item& item, const Job& job) const override;
  bool runs_pods() const override { return false; }
  bool takes_imports() const override { return false; }
};

const Deployer& manifest_deployer();

}  // namespace kubist::deployers
