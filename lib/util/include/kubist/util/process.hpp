#pragma once
#include <chrono>
#include <cstddef>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/util/result.hpp>

namespace kubist::util {

/// A program to run to its end with captured output. It gets no descriptor of ours but those named
/// here, and no terminal but with inherit_stdin. For other limits and untrusted code see runtimes.
struct Command {
  std::vector<std::string> args;                         ///< args[0] is looked up in PATH
  std::map<std::string, std::string> extra_environment;  ///< added to this process's own
  std::string input;                     ///< written to its stdin, which is then closed
  bool inherit_stdin = false;            ///< its stdin is ours (input is ignored)
  bool inherit_stdout = false;           ///< its stdout is ours, else captured
  bool inherit_stderr = false;           ///< its stderr is ours, else captured
  std::chrono::milliseconds timeout{0};  ///< 0: none
  std::size_t max_output = 0;            ///< bytes of stdout, and of stderr; 0: no limit
};

struct CommandResult {
  int exit_code = 0;  ///< 128 + signal when a signal ended it
  std::string out;
  std::string err;
};

/// Runs it. Fails with not_found (no such program), timeout, cancelled or invalid (it prints more
/// than max_output); any exit code is a result. Before such an end it is killed, with what it
/// started (but not with inherit_stdin); on a stop it has a second for its own end.
Result<CommandResult> run_command(const Command& command, std::stop_token stop = {});

}  // namespace kubist::util
