#pragma once
#include <utility>

#include <unistd.h>

namespace kubist::util {

/// A file descriptor with one owner, closed with it. -1 is none.
class Fd {
 public:
  explicit Fd(int fd = -1) : m_fd(fd) {}
  ~Fd() { reset(); }
  Fd(Fd&& other) noexcept : m_fd(other.release()) {}
  Fd& operator=(Fd&& other) noexcept {
    reset(other.release());
    return *this;
  }

  int get() const { return m_fd; }
  explicit operator bool() const { return m_fd >= 0; }
  /// The caller's from now on.
  int release() { return std::exchange(m_fd, -1); }
  /// Takes `fd` in place of the one that it has, which is closed.
  void reset(int fd = -1) {
    if (m_fd >= 0) {
      ::close(m_fd);
    }
    m_fd = fd;
  }

 private:
  int m_fd;
};

}  // namespace kubist::util
