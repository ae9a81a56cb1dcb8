#pragma once
#include <optional>
#include <string>

#include <kubist/istio/record.hpp>
#include <kubist/istio/verdict.hpp>

namespace kubist::istio {

/// What somebody wants to be installed; empty members match all.
struct Wanted {
  std::string version, sha256;
};

/// Why install() has something to do, in words: nothing is there or something is missing, another
/// version runs, other manifests were installed last, an installation did not come to its end
/// (`installed` is what read_installed() says of the revision), or somebody scaled an istiod of
/// kubist's to 0. Nothing: it has not; so where a
/// question was not answered, the control plane runs elsewhere, or what is there does not work for
/// a reason that no manifest mends. `report` is of one revision. Pure.
std::optional<std::string> why_install(const Report& report,
                                       const std::optional<Installed>& installed,
                                       const Wanted& wanted);

}  // namespace kubist::istio
