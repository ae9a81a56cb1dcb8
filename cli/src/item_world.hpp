#pragma once
#include <memory>

#include <kubist/cli/context.hpp>
#include <kubist/deployers/world.hpp>
#include <kubist/executors/connections.hpp>

namespace kubist::cli {

/// The world for commands on one item: places are found through the VirtualCluster and Cluster
/// objects, without reading all of the project.
class ItemWorld {
 public:
  static util::Result<std::unique_ptr<ItemWorld>> open(Context& context);
  deployers::World& world() { return m_world; }

 private:
  ItemWorld(Context& context, std::shared_ptr<kube::Client> home);
  util::Result<deployers::Place> place_of(const std::string& ns, const std::string& target);
  Context& m_context;
  executors::Connections m_connections;
  deployers::World m_world;
};

}  // namespace kubist::cli
