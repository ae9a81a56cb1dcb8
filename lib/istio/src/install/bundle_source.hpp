#pragma once
#include <string>
#include <utility>
#include <vector>

#include <kubist/istio/bundle.hpp>

namespace kubist::istio {

/// A source as it was read.
struct SourceTexts {
  std::vector<std::pair<std::string, std::string>> files;  ///< name as errors print it, text
  std::string sha256;
};

/// Reads it, at most k_max_bundle_bytes, and holds it to its sha256 before anything else is made of
/// its bytes.
util::Result<SourceTexts> read_source(const Source& source);

}  // namespace kubist::istio
