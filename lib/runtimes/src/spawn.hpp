#pragma once
#include <sys/types.h>

#include <kubist/runtimes/child.hpp>
#include <kubist/util/fd.hpp>
#include <kubist/util/result.hpp>

namespace kubist::runtimes {

/// A started child and the parent's non-blocking ends of its pipes.
struct Spawned {
  pid_t pid = -1;
  util::Fd pidfd;
  util::Fd in;   ///< its stdin, to write
  util::Fd out;  ///< its stdout, to read
  util::Fd err;
};

/// Forks, sets limits in the child, and executes. Returns once the program runs, or why it cannot.
util::Result<Spawned> spawn(const ChildCommand& command, const std::filesystem::path& folder);

}  // namespace kubist::runtimes
