#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/util/result.hpp>

namespace kubist::runtimes {

/// What a child process may use. Set in the child before the program starts; 0 means no limit.
struct Limits {
  std::chrono::seconds cpu{10};
  std::uint64_t memory_bytes = 512ULL << 20U;  ///< address space; not set under sanitizers
  /// Private memory that can be written. For programs that reserve much address space, as those in
  /// Go do; they say when they have no more.
  std::uint64_t data_bytes = 0;
  std::uint64_t stack_bytes = 64ULL << 20U;
  std::uint64_t open_files = 64;
  /// Threads and processes beside those that the machine has. Root has no such limit.
  std::uint64_t processes = 256;
  std::uint64_t file_bytes = 64ULL << 20U;    ///< of any file that it writes
  std::chrono::milliseconds wall{30000};      ///< watched by the parent
  std::size_t output_bytes = 16U << 20U;      ///< of stdout
  std::size_t stderr_tail_bytes = 8U << 10U;  ///< the end of stderr that is kept
};

/// An untrusted program to run to its end: an empty environment, no descriptor but its three pipes,
/// no new privileges, no system calls that such programs do not need (to trace, to mount, to make
/// namespaces, ...; where the kernel allows such a filter), a process group of its own (killed as a
/// whole), its parent's death kills it.
struct ChildCommand {
  std::filesystem::path program;         ///< absolute
  std::vector<std::string> args;         ///< without the program itself
  std::vector<std::string> environment;  ///< "NAME=value"; empty by default
  std::filesystem::path folder;  ///< its working folder; empty: a new temporary one, removed after
  std::string input;             ///< its stdin
  Limits limits;
  std::string project;  ///< whose share of the places for children it takes
};

/// The exit code by which a program of ours says that its memory ran out.
inline constexpr int k_exit_memory = 97;

/// Which limit ended it.
enum class LimitHit { none, cpu, memory, wall, output, file_size };
std::string_view to_string(LimitHit limit);

struct ChildResult {
  int exit_code = 0;  ///< meaningful when signal is 0
  int signal = 0;     ///< what ended it, or 0
  LimitHit limit = LimitHit::none;
  bool cancelled = false;  ///< the stop token fired; it was killed
  std::string out;
  std::string stderr_tail;
  std::chrono::nanoseconds took{0};

  bool ok() const { return exit_code == 0 && signal == 0 && limit == LimitHit::none && !cancelled; }
};

/// Runs it. Any thread. Of each project as many run at once as there are processors, at least 4, or
/// fewer where the memory of this process is limited; the next ones wait for a place, which counts
/// for no limit. Fails only when it could not be
/// started (not_found, forbidden, internal); how it ended is in the result.
util::Result<ChildResult> run_child(const ChildCommand& command, const std::stop_token& stop = {});

/// The error that a bad end means, with the stderr tail: timeout (cpu, wall), invalid (memory,
/// output, file size, crash, exit code), cancelled. `what` names the run ("policy canary").
/// REQUIRES: !result.ok().
util::Error child_error(const ChildResult& result, const std::string& what, const Limits& limits);

}  // namespace kubist::runtimes
