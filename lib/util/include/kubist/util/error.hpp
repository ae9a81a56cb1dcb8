#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kubist::util {

/// What kind of failure an Error is. One place (cli/exit_codes.hpp) maps kinds to exit codes.
enum class ErrorKind {
  internal,     ///< a bug, or something no caller can act on
  invalid,      ///< the input is wrong: YAML, a field, a parameter, a reference
  usage,        ///< the command line is wrong
  not_found,    ///< the object, kind, file or context does not exist
  forbidden,    ///< authentication or authorization failed (401, 403)
  conflict,     ///< somebody else changed or owns it (409, field manager conflict, lock held)
  unavailable,  ///< unreachable, 429, 5xx: trying again may help
  timeout,      ///< a deadline of ours passed
  cancelled,    ///< a signal or stop request ended the work
  denied,       ///< a policy or an admission webhook refused it
  not_ready,    ///< waited for, but not reached
};

/// The lower-case word for a kind, e.g. "not_found"; stable, used in reports.
std::string_view to_string(ErrorKind kind);

/// Where in a text input something stands. Lines and columns count from 1; 0 means unknown.
struct SourcePos {
  std::string origin;  ///< file path, URL, or "stdin"
  std::size_t line = 0;
  std::size_t column = 0;
  bool operator==(const SourcePos&) const = default;
};

/// "origin:line:column", leaving out what is unknown.
std::string to_string(const SourcePos& pos);

/// One failure. `message` says what was tried, on what, and why it failed; callers add context in
/// front and never reword it. Never holds a secret.
struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string message;
  std::string hint;     ///< what to do next, one sentence; may be empty
  SourcePos pos;        ///< the input at fault; empty origin when none
  int http_status = 0;  ///< the HTTP status behind it; 0 when none
  std::string reason;   ///< metav1.Status reason ("Conflict", "Expired", ...), or empty
  /// "GET https://..." where an API server answered it by words of its own, which follow it in
  /// `message`; else empty.
  std::string request;
  std::vector<Error> details;  ///< further errors found in the same pass (e.g. all of one file)

  /// "origin:line:col: message" plus "\n  hint" when there is one; details follow, one a line.
  std::string to_string() const;
};

/// Builds an Error without naming every field.
Error make_error(ErrorKind kind, std::string message, std::string hint = {},
                 std::string reason = {});
Error make_error(ErrorKind kind, SourcePos pos, std::string message, std::string hint = {},
                 std::string reason = {});

/// The same error with "context: " in front of its message.
Error with_context(Error error, std::string_view context);
/// The same error with that reason, whatever it had.
Error with_reason(Error error, std::string_view reason);
/// The same error, with that reason where it has none.
Error with_default_reason(Error error, std::string_view reason);

}  // namespace kubist::util
