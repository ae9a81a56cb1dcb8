#pragma once
#include <functional>
#include <string>

#include <kubist/kube/client.hpp>

namespace kubist::executors {

using SendCall = std::function<util::Result<>(const kube::ApiCall& call)>;

/// What set_finalizer() of work.hpp does, with any way of sending the patch.
util::Result<> set_finalizer(kube::Client& client, const kube::ApiResource& resource,
                             const std::string& ns, const std::string& name,
                             std::string_view finalizer, bool present, const SendCall& send);

}  // namespace kubist::executors
