#pragma once
#include <stop_token>

#include <kubist/setup/install.hpp>

namespace kubist::setup {

/// Keeps the images that `options` names in the Root; `kinds` is what became of the kinds before.
apply::Report keep_images(kube::Client& client, const InstallOptions& options,
                          const apply::Report& kinds, const std::stop_token& stop);

}  // namespace kubist::setup
