#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <kubist/engine/query.hpp>

namespace kubist::release {

/// What a policy may ask about the workload of a version, by the name `canary.cpu` or `stable.cpu`
/// as a metric query; summed over its Deployments, or its pods:
///   cpu, memory          cores and bytes that its pods use, as metrics.k8s.io says
///   replicas, updatedReplicas, availableReplicas, unavailableReplicas
///                        as the status of its Deployments says
///   availability         1 where each of them has the condition Available, else 0; on several
///                        virtual clusters the least
inline constexpr std::array<std::string_view, 7> k_workload_numbers{"cpu",
                                                                    "memory",
                                                                    "replicas",
                                                                    "updatedReplicas",
                                                                    "availableReplicas",
                                                                    "unavailableReplicas",
                                                                    "availability"};
inline constexpr std::string_view k_availability = "availability";

/// Nothing: the name is none of a version's workload.
std::optional<engine::WorkloadQuery> read_workload_query(std::string_view name);

/// What a PolicyDefinition asks by spec.metrics[].query: `release` is the window of a release
/// ({seconds, weight, arms: {VERSION: {requests, errors, latency}}}), `canary.cpu` and the like are
/// numbers of a workload, all else is PromQL.
engine::Query read_query(std::string text);

}  // namespace kubist::release
