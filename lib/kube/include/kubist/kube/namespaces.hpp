#pragma once
#include <stop_token>
#include <string>

#include <kubist/kube/client.hpp>

namespace kubist::kube {

/// Can nothing be created in the namespace: it does not exist, or is being deleted? One GET. Where
/// the question itself is refused or fails the answer is no: whoever goes on learns what is wrong.
bool takes_no_objects(Client& client, const std::string& ns, const std::stop_token& stop = {});
/// The uid of a cluster: that of its namespace kube-system.
util::Result<std::string> cluster_uid(Client& client, const std::stop_token& stop);

}  // namespace kubist::kube
