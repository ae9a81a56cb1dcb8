#pragma once
#include <stop_token>
#include <vector>

#include <kubist/kube/client.hpp>
#include <kubist/util/result.hpp>

namespace kubist::cli {

/// Sends all calls at once and waits for all of them; the replies are in the order of the calls.
std::vector<util::Result<kube::Reply>> fetch_all(kube::Client& client,
                                                 const std::vector<kube::ApiCall>& calls,
                                                 const std::stop_token& stop);

}  // namespace kubist::cli
