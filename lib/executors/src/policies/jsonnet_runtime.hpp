#pragma once
#include <memory>

#include <kubist/engine/policy.hpp>
#include <kubist/runtimes/jsonnet.hpp>

namespace kubist::executors {

/// Policies whose source is a Jsonnet function of the ResourceList.
std::shared_ptr<engine::PolicyRuntime> make_jsonnet_runtime(runtimes::JsonnetOptions options = {});

}  // namespace kubist::executors
