#pragma once
#include <map>
#include <memory>
#include <string>

#include <kubist/engine/policy.hpp>
#include <kubist/runtimes/exec.hpp>

namespace kubist::executors {

/// Policies whose source names one of these programs: the ResourceList on its stdin as JSON, the
/// answer on its stdout as JSON or YAML. REQUIRES: a definition's source is a key of `programs`.
std::shared_ptr<engine::PolicyRuntime> make_exec_runtime(
    std::map<std::string, runtimes::ExecProgram> programs);

}  // namespace kubist::executors
