#pragma once
#include <filesystem>
#include <vector>

#include <kubist/util/result.hpp>

namespace kubist::resources {

/// Is it named as kubectl wants files of a folder to be: .yaml, .yml or .json?
bool is_manifest_file(const std::filesystem::path& path);
/// The manifest files of a folder, with `recursive` also of those below it, in name order, so that
/// every run reads them alike. Invalid: it cannot be listed.
util::Result<std::vector<std::filesystem::path>> manifest_files(const std::filesystem::path& folder,
                                                                bool recursive);

}  // namespace kubist::resources
