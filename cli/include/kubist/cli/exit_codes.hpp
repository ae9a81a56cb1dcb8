#pragma once
#include <array>
#include <string_view>

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

/// What each means, for the man page and the reference.
struct ExitCodeText {
  ExitCode code;
  std::string_view means;
};
inline constexpr std::array k_exit_codes{
    ExitCodeText{k_ok, "done"},
    ExitCodeText{k_error, "error (diff: differences)"},
    ExitCodeText{k_changes_pending, "something would change (--detailed-exitcode)"},
    ExitCodeText{k_not_ready, "not ready, or timed out"},
    ExitCodeText{k_rolled_back, "aborted or rolled back"},
    ExitCodeText{k_denied, "denied by a policy, or by the guard of a context"},
    ExitCodeText{k_conflict, "conflict, or locked"},
    ExitCodeText{k_usage, "wrong command line"},
    ExitCodeText{k_diff_error, "error of diff"},
    ExitCodeText{k_interrupted, "interrupted"},
    ExitCodeText{k_terminated, "terminated"}};

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
