#include "item_world.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/executors/tree.hpp>
#include <kubist/resources/kinds.hpp>

namespace kubist::cli {
namespace {

kube::ApiResource kubist_resource(std::string_view kind) {
  return executors::resource_of(*resources::find_kind(resources::k_kubist_group, kind));
}

}  // namespace

ItemWorld::ItemWorld(Context& context, std::shared_ptr<kube::Client> home)
    : m_context(context), m_connections(home, "", context.client_options()) {
  m_world.home = std::move(home);
  m_world.stop = context.stop();
  m_world.place_of = [this](const std::string& ns, const std::string& target) {
    return place_of(ns, target);
  };
}

util::Result<std::unique_ptr<ItemWorld>> ItemWorld::open(Context& context) {
  KUBIST_TRY(auto home, context.client());
  return std::unique_ptr<ItemWorld>(new ItemWorld(context, std::move(home)));
}

util::Result<deployers::Place> ItemWorld::place_of(const std::string& ns,
                                                   const std::string& target) {
  const auto& home = m_world.home;
  if (target.empty()) {
    return deployers::Place{home, ns, "", {}};
  }
  KUBIST_TRY(
      const auto virtual_cluster,
      home->json(kube::get(kubist_resource("VirtualCluster"), ns, target), m_context.stop()));
  const std::string name(data::string_at(virtual_cluster, {"spec", "clusterRef", "name"}));
  KUBIST_TRY(const auto cluster,
             home->json(kube::get(kubist_resource("Cluster"), ns, name), m_context.stop()));
  KUBIST_TRY(const auto allowed, executors::allowed_servers(*home, ns, m_context.stop()));
  KUBIST_TRY(const auto reached, m_connections.connect(cluster, allowed, false, m_context.stop()));
  KUBIST_TRY(const auto system,
             home->find(kube::well_known::namespaces(), "", "kube-system", m_context.stop()));
  deployers::Place place{
      reached->client, resources::virtual_cluster_namespace(virtual_cluster), name, {}};
  if (system && data::string_at(*system, {"metadata", "uid"}) == reached->uid) {
    place.cluster.clear();
  }
  return place;
}

}  // namespace kubist::cli
