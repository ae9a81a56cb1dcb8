#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kubist/runtimes/child.hpp>
#include <kubist/util/fair_places.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "child_places.hpp"
#include "spawn.hpp"

namespace kubist::runtimes {

using util::cat;
using util::ErrorKind;
using util::Fd;
using Steady = std::chrono::steady_clock;

namespace {

constexpr int k_exit_go = 2;  // where a program in Go cannot go on

/// Holds SIGPIPE back from this thread: a child may end before it has read its input.
class SigpipeBlock {
 public:
  SigpipeBlock() {
    sigset_t pipe;
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe, &m_before);
  }
  ~SigpipeBlock() {
    if (::sigismember(&m_before, SIGPIPE) == 0) {
      sigset_t pipe;
      ::sigemptyset(&pipe);
      ::sigaddset(&pipe, SIGPIPE);
      timespec none{};
      ::sigtimedwait(&pipe, nullptr, &none);
    }
    ::pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
  }
  SigpipeBlock(const SigpipeBlock&) = delete;
  SigpipeBlock& operator=(const SigpipeBlock&) = delete;

 private:
  sigset_t m_before{};
};

/// Do the last words of a program in Go say that its memory ran out? Before a long trace, they are
/// "fatal error: runtime: out of memory", and more with "out of" or "cannot allocate memory".
bool tells_no_memory(std::string_view text) {
  const std::size_t error = text.find("fatal error: ");
  return error != text.npos &&
         text.substr(error, text.find('\n', error) - error).find("memory") != text.npos;
}

/// Feeds and drains one child until it has ended.
class Pump {
 public:
  Pump(Spawned child, const ChildCommand& command, const std::stop_token& stop)
      : m_child(std::move(child)),
        m_command(command),
        m_stopped(::eventfd(0, EFD_CLOEXEC)),
        m_on_stop(stop, [this] { ::eventfd_write(m_stopped.get(), 1); }) {}

  ChildResult run() {
    SigpipeBlock block;
    auto begin = Steady::now();
    m_deadline = begin + m_command.limits.wall;
    while (!m_ended) {
      wait();
    }
    // What the program left behind in its group goes too; it is still a zombie, so its id is ours.
    kill_group();
    drain(m_child.out, false);
    drain(m_child.err, true);
    reap();
    m_result.took = Steady::now() - begin;
    return std::move(m_result);
  }

 private:
  void kill_group() const { ::kill(-m_child.pid, SIGKILL); }

  int milliseconds_left() const {
    if (m_command.limits.wall.count() == 0 || m_killed) {
      return -1;
    }
    auto left = std::chrono::ceil<std::chrono::milliseconds>(m_deadline - Steady::now()).count();
    return static_cast<int>(std::clamp<long long>(left, 0, 1'000'000));
  }

  void wait() {
    std::array<pollfd, 5> set{};
    auto watch = [&](std::size_t i, int fd, short events) { set[i] = {fd, events, 0}; };
    watch(0, m_child.pidfd.get(), POLLIN);
    watch(1, m_child.out.get(), POLLIN);
    watch(2, m_child.err.get(), POLLIN);
    watch(3, m_child.in.get(), POLLOUT);
    watch(4, m_killed ? -1 : m_stopped.get(), POLLIN);
    int got = ::poll(set.data(), set.size(), milliseconds_left());
    if (got == 0 && !m_killed && Steady::now() >= m_deadline) {
      end(LimitHit::wall);
      return;
    }
    if (set[4].revents != 0) {
      m_result.cancelled = true;
      end(LimitHit::none);
    }
    if (set[3].revents != 0) {
      feed();
    }
    if (set[1].revents != 0) {
      drain(m_child.out, false);
    }
    if (set[2].revents != 0) {
      drain(m_child.err, true);
    }
    m_ended = set[0].revents != 0;
  }

  void end(LimitHit limit) {
    if (!m_killed) {
      m_killed = true;
      m_result.limit = limit;
      kill_group();
    }
  }

  void feed() {
    const std::string& input = m_command.input;
    while (m_fed < input.size()) {
      ssize_t wrote = ::write(m_child.in.get(), input.data() + m_fed, input.size() - m_fed);
      if (wrote < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
      }
      if (wrote < 0) {
        break;  // it closed its stdin: its own decision
      }
      m_fed += static_cast<std::size_t>(wrote);
    }
    m_child.in.reset();
  }

  void drain(Fd& fd, bool tail) {
    if (!fd) {
      return;
    }
    std::array<char, 65536> buffer;
    while (true) {
      ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got < 0 && errno == EAGAIN) {
        return;
      }
      if (got <= 0) {
        fd.reset();
        return;
      }
      std::string_view text(buffer.data(), static_cast<std::size_t>(got));
      if (tail) {
        keep_tail(text);
      } else if (!keep_output(text)) {
        return;
      }
    }
  }

  bool keep_output(std::string_view text) {
    std::size_t limit = m_command.limits.output_bytes;
    if (limit > 0 && m_result.out.size() + text.size() > limit) {
      end(LimitHit::output);
      m_child.out.reset();
      return false;
    }
    m_result.out += text;
    return true;
  }

  void keep_tail(std::string_view text) {
    std::string& kept = m_result.stderr_tail;
    kept += text;
    std::size_t limit = m_command.limits.stderr_tail_bytes;
    if (kept.size() > 2 * limit) {
      shorten_tail();
    }
  }

  void shorten_tail() {
    std::string& kept = m_result.stderr_tail;
    m_no_memory |= m_command.limits.data_bytes > 0 && tells_no_memory(kept);
    kept.erase(0, kept.size() - std::min(kept.size(), m_command.limits.stderr_tail_bytes));
  }

  void reap() {
    int status = 0;
    rusage usage{};
    while (::wait4(m_child.pid, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    m_result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    m_result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    shorten_tail();
    if (m_killed) {
      return;
    }
    auto cpu = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec;
    auto cpu_limit = m_command.limits.cpu.count();
    if (m_result.signal == SIGXCPU ||
        (m_result.signal == SIGKILL && cpu_limit > 0 && cpu >= cpu_limit)) {
      m_result.limit = LimitHit::cpu;
    } else if (m_result.signal == SIGXFSZ) {
      m_result.limit = LimitHit::file_size;
    } else if (m_result.exit_code == k_exit_memory) {
      m_result.limit = LimitHit::memory;
    } else if (m_result.exit_code == k_exit_go && m_no_memory) {
      m_result.limit = LimitHit::memory;
      m_result.stderr_tail.clear();  // a trace of Go's own functions
    }
  }

  Spawned m_child;
  const ChildCommand& m_command;
  Fd m_stopped;
  std::stop_callback<std::function<void()>> m_on_stop;
  Steady::time_point m_deadline;
  ChildResult m_result;
  std::size_t m_fed = 0;
  bool m_killed = false;
  bool m_ended = false;
  bool m_no_memory = false;  ///< it said so
};

util::FairPlaces& places() {
  static util::FairPlaces all(child_places(std::thread::hardware_concurrency(), memory_limit()));
  return all;
}

}  // namespace

util::Result<ChildResult> run_child(const ChildCommand& command, const std::stop_token& stop) {
  const auto place = places().take(command.project, stop);
  if (!place) {
    ChildResult stopped;
    stopped.cancelled = true;
    return stopped;
  }
  std::unique_ptr<util::TempDir> temporary;
  std::filesystem::path folder = command.folder;
  try {
    if (folder.empty()) {
      temporary = std::make_unique<util::TempDir>("kubist-run");
      folder = temporary->path();
    }
  } catch (const std::exception& error) {
    return util::fail(ErrorKind::internal, cat("cannot make a folder for ",
                                               command.program.string(), ": ", error.what()));
  }
  KUBIST_TRY(auto child, spawn(command, folder));
  return Pump(std::move(child), command, stop).run();
}

}  // namespace kubist::runtimes
