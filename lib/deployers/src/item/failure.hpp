#pragma once
#include <string>

#include <kubist/deployers/deployer.hpp>

namespace kubist::deployers {

/// The progress that an error means.
Progress failure_of(const util::Error& error, std::string operation);
/// Does an error mean that trying again may help?
bool may_mend(const util::Error& error);

}  // namespace kubist::deployers
