#pragma once
#include <functional>
#include <string>

#include <kubist/kube/client.hpp>

#include "world/work.hpp"

namespace kubist::executors {

/// Adds or removes a finalizer of an object by JSON Patch with a test, so that no other finalizer
/// is ever lost. Nothing is sent when it is as wanted; a vanished object is success.
util::Result<> set_finalizer(Work& work, kube::Client& client, const kube::ApiResource& resource,
                             const std::string& ns, const std::string& name,
                             std::string_view finalizer, bool present);

using SendCall = std::function<util::Result<>(const kube::ApiCall& call)>;

/// The same with any way of sending the patch.
util::Result<> set_finalizer(kube::Client& client, const kube::ApiResource& resource,
                             const std::string& ns, const std::string& name,
                             std::string_view finalizer, bool present, const SendCall& send);

}  // namespace kubist::executors
