#pragma once

#include <kubist/deployers/deployer.hpp>

namespace kubist::deployers {

/// Runs an item as a pod; container and script differ in what the workload's container calls.
class PodDeployer : public Deployer {
 public:
  explicit PodDeployer(bool script) : m_script(script) {}
  util::Result<> check(const Item& item, const Settings& settings) const override;
  Json identity(const Item& item, const Settings& settings) const override;
  util::Result<Progress> advance(World& world, const Item& item, const Job& job) const override;
  util::Result<Progress> stop(World& world, const Item& item, const Job& job) const override;
  Uninstall uninstall(const Item& item) const override;
  util::Result<Json> catch_up(World& world, const Item& item, const Place& place) const override;
  util::Result<> dismiss(World& world, const Item& item, const Job& job) const override;
  util::Result<Progress> clean_up(World& world, const Item& item, const Job& job) const override;

  bool script() const { return m_script; }

 private:
  bool m_script;
};

const Deployer& container_deployer();
const Deployer& script_deployer();

}  // namespace kubist::deployers
