#pragma once

#include <kubist/deployers/deployer.hpp>

namespace kubist::deployers {

/// Takes landscaper's configs of containers, and refuses what only landscaper has.
const Deployer& upstream_container_deployer();

}  // namespace kubist::deployers
