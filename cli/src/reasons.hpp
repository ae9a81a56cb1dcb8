#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kubist::cli {

// The registry of reasons: the CamelCase words of conditions, statuses and errors, and what to do.
// Its text is cli/reasons/*.yaml; tests/docs/reasons.py holds it and the sources together.

/// What becomes of an object or command with that reason, as far as it is always the same.
enum class Then {
  fine,     ///< nothing is wrong
  waits,    ///< kubist goes on, or checks again, by itself
  retried,  ///< it failed, and is tried again by itself
  stalled,  ///< nothing happens until somebody changes something
  ended,    ///< it is over; a person may begin it again
  refused,  ///< a command or request ended with it
};
std::string_view to_string(Then then);
/// The same in a sentence.
std::string_view meaning(Then then);

struct Reason {
  std::string name;  ///< "PolicyDenied"
  Then then = Then::fine;
  std::string means;   ///< sentences, with code in backticks
  std::string advice;  ///< the same: what to do next
};

/// Reasons that belong together, in the order of their file.
struct ReasonArea {
  std::string file;  ///< "items": of cli/reasons/items.yaml
  std::string title, about;
  std::vector<Reason> reasons;
};

/// All of them, read from the program itself on the first call. Thread-safe.
const std::vector<ReasonArea>& reason_areas();
/// By its exact name, or nullptr.
const Reason* find_reason(std::string_view name);
/// All names, for suggestions and completion.
std::vector<std::string> reason_names();
/// The command that says more about that reason; empty where the registry does not have it, or
/// where it only repeats the kind of an error.
std::string reason_command(std::string_view name);

}  // namespace kubist::cli
