#pragma once
#include <string>
#include <vector>

#include <kubist/resources/manifest.hpp>

namespace kubist::resources {

/// The text behind one file, stdin or URL.
struct ManifestText {
  std::string text;
  std::string origin;  ///< as positions print it
};

/// What one path of -f stands for, in reading order; each may fail for itself.
std::vector<util::Result<ManifestText>> read_sources(const std::string& path,
                                                     const ManifestOptions& options);

}  // namespace kubist::resources
