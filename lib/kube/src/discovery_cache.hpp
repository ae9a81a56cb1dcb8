#pragma once
#include <filesystem>

namespace kubist::kube {

/// Of the records in this folder. Each member's Cluster may name a server of its own, and another
/// one each day: those that were asked longest ago go, with their names of fields.
void keep_few(const std::filesystem::path& folder);

}  // namespace kubist::kube
