#pragma once
#include <iosfwd>
#include <stop_token>
#include <string>
#include <vector>

#include "targets.hpp"

namespace kubist::cli {

/// The objects that manifests name, as targets in their order. `ns` is for those that name none.
/// Errors: all that is wrong with the files, or kinds that the server does not have.
util::Result<Targets> targets_of_files(kube::Client& client, const std::vector<std::string>& files,
                                       bool recursive, const std::string& ns,
                                       std::stop_token stop = {});

}  // namespace kubist::cli
