#pragma once
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/runtimes/child.hpp>
#include <kubist/runtimes/jsonnet.hpp>

namespace kubist::runtimes {

/// A program that the local config file names for `runtime: {exec: NAME}`. Definitions in the
/// cluster never say what is run.
struct ExecProgram {
  std::filesystem::path program;  ///< absolute
  std::vector<std::string> args;
  std::string sha256;  ///< of the file, lower-case hex; empty: not checked
  Limits limits;
};

/// Runs one program: JSON text in, JSON text out. Fails with not_found, forbidden (sha256 differs),
/// or as child_error says. `name` is NAME; `project` as in ChildCommand.
Answer run_exec(const std::string& name, const ExecProgram& program, const std::string& input,
                const std::stop_token& stop = {}, const std::string& project = {});

}  // namespace kubist::runtimes
