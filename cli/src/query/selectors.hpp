#pragma once
#include <string>
#include <vector>

#include <kubist/cli/command.hpp>
#include <kubist/resources/manifest.hpp>

namespace kubist::cli {

// What the flags "selector" and "field-selector" say, as the API server takes it. Empty: not given,
// or an empty text, as an unset variable of a script leaves it. Error: invalid, with the piece that
// cannot be read.
util::Result<std::string> label_selector(const Arguments& arguments);
util::Result<std::string> field_selector(const Arguments& arguments);

/// Keeps the objects whose labels the flag "selector" selects. The same error.
util::Result<> filter_by_labels(std::vector<resources::Manifest>& manifests,
                                const Arguments& arguments);

}  // namespace kubist::cli
