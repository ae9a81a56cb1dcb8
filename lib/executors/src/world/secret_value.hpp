#pragma once
#include <stop_token>
#include <string>
#include <string_view>

#include <kubist/kube/client.hpp>

namespace kubist::executors {

/// The text of one key of a Secret, for what kubist sends to an address. Not_found: reason
/// SecretNotFound, SecretKeyNotFound; forbidden, reason SecretNotAllowed: the Secret is kubist's
/// own or gives access to a cluster; else as the API server answers.
/// `use`: the value of the label kubist.io/internal with which somebody keeps a Secret for this use
/// from items, which may read all others; such a one is given, too.
util::Result<std::string> secret_value(kube::Client& client, const std::string& ns,
                                       const std::string& name, const std::string& key,
                                       const std::stop_token& stop = {}, std::string_view use = {});

}  // namespace kubist::executors
