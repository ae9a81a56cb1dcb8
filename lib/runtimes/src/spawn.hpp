#pragma once
#include <sys/types.h>

#include <kubist/runtimes/child.hpp>
#include <kubist/util/result.hpp>

namespace kubist::runtimes {

/// A file descriptor with an owner.
class Fd {
 public:
  explicit Fd(int fd = -1) : m_fd(fd) {}
  ~Fd() { reset(); }
  Fd(Fd&& other) noexcept : m_fd(other.m_fd) { other.m_fd = -1; }
  Fd& operator=(Fd&& other) noexcept;
  int get() const { return m_fd; }
  explicit operator bool() const { return m_fd >= 0; }
  void reset();

 private:
  int m_fd;
};

/// A started child and the parent's non-blocking ends of its pipes.
struct Spawned {
  pid_t pid = -1;
  Fd pidfd;
  Fd in;   ///< its stdin, to write
  Fd out;  ///< its stdout, to read
  Fd err;
};

/// Forks, sets limits in the child, and executes. Returns once the program runs, or why it cannot.
util::Result<Spawned> spawn(const ChildCommand& command, const std::filesystem::path& folder);

}  // namespace kubist::runtimes
