#pragma once
#include <stop_token>
#include <vector>

#include <kubist/resources/manifest.hpp>
#include <kubist/util/error.hpp>

namespace kubist::cli {

/// The problems of the Jsonnet in these objects (templates of items, definitions of policies and
/// executors), found without any input for it: it does not parse, names an unknown variable, or
/// gives no function. Positions are those in a YAML block where the file tells them, else those of
/// the field.
std::vector<util::Error> jsonnet_problems(const std::vector<resources::Manifest>& manifests,
                                          const std::stop_token& stop);

}  // namespace kubist::cli
