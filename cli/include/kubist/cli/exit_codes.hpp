#pragma once
#include <kubist/util/error.hpp>

namespace kubist::cli {

/// The exit codes of every command; documented in kubist(1).
enum ExitCode : int {
  k_ok = 0,
  k_error = 1,
  /// With --detailed-exitcode. `diff` uses kubectl's 1 instead, and k_diff_error for errors.
  k_changes_pending = 2,
  k_not_ready = 3,  ///< not ready, or timed out
  k_rolled_back = 4,
  k_denied = 5,
  k_conflict = 6,  ///< conflict or locked
  k_usage = 64,
  k_diff_error = 70,
  k_interrupted = 130,  ///< SIGINT
  k_terminated = 143,   ///< SIGTERM
};

/// The exit code of an error that ended a command.
constexpr int exit_code(util::ErrorKind kind) {
  switch (kind) {
    case util::ErrorKind::timeout:
    case util::ErrorKind::not_ready:
      return k_not_ready;
    case util::ErrorKind::denied:
      return k_denied;
    case util::ErrorKind::conflict:
      return k_conflict;
    case util::ErrorKind::usage:
      return k_usage;
    case util::ErrorKind::cancelled:
      return k_interrupted;
    default:
      return k_error;
  }
}

}  // namespace kubist::cli
