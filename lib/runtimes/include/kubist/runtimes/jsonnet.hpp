#pragma once
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/runtimes/child.hpp>
#include <kubist/util/result.hpp>

namespace kubist::runtimes {

/// One answer of a runtime: JSON text.
struct Answer {
  util::Result<std::string> output;
  std::string stderr_tail;  ///< std.trace output and the like
  bool cached = false;
};

struct JsonnetOptions {
  /// The program whose only work is jsonnet_child_main(): by default this binary itself,
  /// /proc/self/exe, called with the one argument "__jsonnet".
  std::filesystem::path program = "/proc/self/exe";
  std::vector<std::string> args = {"__jsonnet"};
  Limits limits;
  std::size_t max_cached = 10'000;                        ///< answers kept, oldest dropped first
  std::size_t max_cached_bytes = std::size_t{64} << 20U;  ///< of all; none has more than a 64th
  std::size_t max_batch = 1000;                           ///< inputs a child gets at once
};

/// Evaluates Jsonnet in child processes with limits. Hermetic: import and importstr are refused, no
/// external variables, no native functions, max_stack 500. Numbers are doubles (Jsonnet has no
/// others): integers beyond 2^53 lose digits. Thread-safe.
class Jsonnet {
 public:
  explicit Jsonnet(JsonnetOptions options = {});
  ~Jsonnet();
  Jsonnet(const Jsonnet&) = delete;
  Jsonnet& operator=(const Jsonnet&) = delete;

  /// `source` is an expression that gives a function; the answer is function(input) for each JSON
  /// text of `inputs`, in order. All go to one child; when that fails, halves are tried, down to
  /// single ones, so a bad input fails only its own answer. Answers are kept by hash of source and
  /// input. `name` is what errors call the source ("PolicyDefinition/canary"); `project` as in
  /// ChildCommand.
  std::vector<Answer> call(const std::string& name, const std::string& source,
                           std::span<const std::string> inputs, const std::stop_token& stop = {},
                           const std::string& project = {});

  /// Does the text parse as Jsonnet and evaluate to a function? Checked in a child like call(); for
  /// `validate` and `apply` of definitions. Fails with invalid, naming line and column.
  util::Result<> check(const std::string& name, const std::string& source,
                       const std::stop_token& stop = {});

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// The child's whole life: reads the request from stdin, evaluates, writes JSON to stdout. Returns
/// the exit code. The command line calls it for the hidden command `__jsonnet`, before anything
/// else is set up.
int jsonnet_child_main();

}  // namespace kubist::runtimes
