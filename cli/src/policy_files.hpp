#pragma once
#include <string>
#include <vector>

#include <kubist/engine/policy_case.hpp>

namespace kubist::cli {

/// What `policy test` and `policy run` read from files.
struct PolicyFiles {
  std::vector<data::Json> definitions;  ///< without namespace: a file's are known to all its cases
  std::vector<engine::PolicyCase> cases;  ///< in the order of paths and documents
};

/// Reads files, and folders with all that is below them (.yaml, .yml, .json, in name order).
/// Documents are policy definitions or cases; other Kubernetes objects are passed over. Fails with
/// not_found, or invalid naming file and line: a document that is none of these, two definitions of
/// one name.
util::Result<PolicyFiles> read_policy_files(const std::vector<std::string>& paths);

/// One document of a file, or of standard input for "-".
util::Result<data::Json> read_input(const std::string& path);

}  // namespace kubist::cli
