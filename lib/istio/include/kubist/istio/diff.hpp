#pragma once
#include <stop_token>

#include <kubist/apply/diff.hpp>
#include <kubist/istio/bundle.hpp>
#include <kubist/kube/client.hpp>

namespace kubist::istio {

/// What install() of the bundle would change, by dry runs on the server: created, changed and
/// pruned objects, the record of version and sha256 among them. What istiod owns of its webhooks is
/// left out, as install() does not touch it. Writes nothing. Errors: as of gathering and of
/// diff_set.
util::Result<apply::SetDiffs> diff(kube::Client& client, const Bundle& bundle,
                                   const std::stop_token& stop = {});

}  // namespace kubist::istio
