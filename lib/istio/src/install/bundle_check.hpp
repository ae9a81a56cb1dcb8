#pragma once
#include <string>

#include <kubist/istio/bundle.hpp>

namespace kubist::istio {

/// Is it one whole installation of Istio, of what is expected and of nothing else? Fills in what
/// its istiod says: version, revision, namespace. `origin` names it in errors.
util::Result<> check_bundle(Bundle& bundle, const std::string& origin, const Expected& expected);

}  // namespace kubist::istio
