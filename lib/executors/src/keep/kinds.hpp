#pragma once
#include <memory>

#include "keep/managed.hpp"

// One file per kind; registry.cpp lists them.
namespace kubist::executors {

std::shared_ptr<ManagedExecutor> make_root_executor(World& world);
std::shared_ptr<ManagedExecutor> make_project_executor(World& world);
std::shared_ptr<ManagedExecutor> make_cluster_executor(World& world);
std::shared_ptr<ManagedExecutor> make_virtual_cluster_executor(World& world);
std::shared_ptr<ManagedExecutor> make_execution_executor(World& world);
std::shared_ptr<engine::Executor> make_deploy_item_executor(World& world);
std::shared_ptr<ManagedExecutor> make_destination_executor(World& world);
std::shared_ptr<ManagedExecutor> make_entry_gateway_executor(World& world);
std::shared_ptr<ManagedExecutor> make_external_service_executor(World& world);
std::shared_ptr<ManagedExecutor> make_canary_release_executor(World& world);
std::shared_ptr<ManagedExecutor> make_experiment_executor(World& world);
std::shared_ptr<ManagedExecutor> make_traffic_route_executor(World& world);

}  // namespace kubist::executors
