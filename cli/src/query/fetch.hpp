#pragma once
#include <stop_token>
#include <vector>

#include <kubist/kube/client.hpp>
#include <kubist/util/result.hpp>

#include "get_run.hpp"

namespace kubist::cli {

/// Sends all calls at once and waits for all of them; the replies are in the order of the calls.
std::vector<util::Result<kube::Reply>> fetch_all(kube::Client& client,
                                                 const std::vector<kube::ApiCall>& calls,
                                                 const std::stop_token& stop);

/// The same for a `get` of named objects: hands each reply's body to `on_page` in the order of the
/// calls. Refusals go to `errors` (not_found only without --ignore-not-found) and end nothing; an
/// error of on_page ends it.
util::Result<> each_named(const GetRun& run, kube::Client& client,
                          const std::vector<kube::ApiCall>& calls, std::vector<util::Error>& errors,
                          const kube::PageHandler& on_page);

}  // namespace kubist::cli
