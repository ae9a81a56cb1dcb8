#pragma once
#include <kubist/deployers/deployer.hpp>

namespace kubist::deployers {

/// Ends as its config says, without touching anything: for tests of order and failure, and dry
/// runs.
class MockDeployer : public Deployer {
 public:
  util::Result<> check(const Item& item, const Settings& settings) const override;
  util::Result<Progress> advance(World& world, const Item& item, const Job& job) const override;
  util::Result<Progress> stop(World& world, const Item& item, const Job& job) const override;
  Uninstall uninstall(const Item& item) const override;
  bool runs_pods() const override { return false; }
};

const Deployer& mock_deployer();

}  // namespace kubist::deployers
