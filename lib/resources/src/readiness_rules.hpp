#pragma once
#include <chrono>
#include <string_view>

#include <kubist/resources/object.hpp>
#include <kubist/resources/readiness.hpp>

namespace kubist::resources {

inline Readiness in_progress(std::string_view reason, std::string_view message) {
  return {Status::in_progress, std::string(reason), std::string(message)};
}
inline Readiness current(std::string_view message) {
  return {Status::current, "", std::string(message)};
}

/// kstatus' rule for one built-in kind.
using ReadinessRule = Readiness (*)(const ObjectView& object, const data::Json& json,
                                    std::chrono::system_clock::time_point now);

/// The rule of that kind, or null. Source: sigs.k8s.io/cli-utils pkg/kstatus/status/core.go.
ReadinessRule find_readiness_rule(std::string_view group, std::string_view kind);

// Split by file: workloads (replicas) and the rest.
Readiness deployment_readiness(const ObjectView&, const data::Json&,
                               std::chrono::system_clock::time_point);
Readiness stateful_set_readiness(const ObjectView&, const data::Json&,
                                 std::chrono::system_clock::time_point);
Readiness daemon_set_readiness(const ObjectView&, const data::Json&,
                               std::chrono::system_clock::time_point);
Readiness replica_set_readiness(const ObjectView&, const data::Json&,
                                std::chrono::system_clock::time_point);

}  // namespace kubist::resources
