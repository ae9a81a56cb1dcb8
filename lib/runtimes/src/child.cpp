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
#include <kubist/util/words.hpp>

#include "spawn.hpp"

namespace kubist::runtimes {

using util::cat;
using util::ErrorKind;
using util::Fd;
using Steady = std::chrono::steady_clock;

std::string_view to_string(LimitHit limit) {
  static constexpr util::Word<LimitHit> k_words[] = {
      {LimitHit::none, "none"}, {LimitHit::cpu, "cpu"},       {LimitHit::memory, "memory"},
      {LimitHit::wall, "wall"}, {LimitHit::output, "output"}, {LimitHit::file_size, "file_size"}};
  return util::word_of(k_words, limit);
}

namespace {

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
      kept.erase(0, kept.size() - limit);
    }
  }

  void reap() {
    int status = 0;
    rusage usage{};
    while (::wait4(m_child.pid, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    m_result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    m_result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    std::string& kept = m_result.stderr_tail;
    if (kept.size() > m_command.limits.stderr_tail_bytes) {
      kept.erase(0, kept.size() - m_command.limits.stderr_tail_bytes);
    }
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
};

std::string with_tail(const std::string& message, const std::string& tail) {
  auto trimmed = util::trim(tail);
  return trimmed.empty() ? message : cat(message, ": ", util::printable(trimmed));
}

std::string signal_text(int number) {
  const char* name = ::sigabbrev_np(number);
  std::string text = name ? cat("SIG", name) : cat("signal ", number);
  if (number == SIGSEGV || number == SIGBUS) {
    return text + ", most likely from nesting or recursion that is too deep";
  }
  return number == SIGKILL ? text + ", most likely for want of memory" : text;
}

/// Each child may use a processor, and hundreds of MiB. Many of one project would take the time
/// that those of others have.
constexpr std::size_t k_least_share = 4;
constexpr std::size_t k_full_projects = 4;  // may have their share at once

util::FairPlaces& places() {
  const std::size_t share =
      std::max<std::size_t>(k_least_share, std::thread::hardware_concurrency());
  static util::FairPlaces all({share, 2 * k_full_projects * share - 1});
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

util::Error child_error(const ChildResult& result, const std::string& what, const Limits& limits) {
  auto make = [&](ErrorKind kind, const std::string& text, const char* reason) {
    return util::make_error(kind, with_tail(text, result.stderr_tail), "", std::string(reason));
  };
  if (result.cancelled) {
    return make(ErrorKind::cancelled, cat(what, " was interrupted"), "Cancelled");
  }
  switch (result.limit) {
    case LimitHit::cpu:
      return make(ErrorKind::timeout,
                  cat(what, " used more than ", limits.cpu.count(), " s of processor time"),
                  "CPULimit");
    case LimitHit::wall:
      return make(ErrorKind::timeout, cat(what, " took longer than ", limits.wall.count(), " ms"),
                  "Timeout");
    case LimitHit::memory:
      return make(ErrorKind::invalid,
                  cat(what, " needed more than ", limits.memory_bytes >> 20U, " MiB of memory"),
                  "MemoryLimit");
    case LimitHit::output:
      return make(ErrorKind::invalid,
                  cat(what, " printed more than ", limits.output_bytes >> 10U, " KiB"),
                  "OutputLimit");
    case LimitHit::file_size:
      return make(ErrorKind::invalid,
                  cat(what, " wrote a file of more than ", limits.file_bytes >> 20U, " MiB"),
                  "FileSizeLimit");
    case LimitHit::none:
      break;
  }
  if (result.signal != 0) {
    return make(ErrorKind::invalid, cat(what, " crashed (", signal_text(result.signal), ")"),
                "Crashed");
  }
  return make(ErrorKind::invalid, cat(what, " failed with exit code ", result.exit_code),
              "PolicyFailed");
}

}  // namespace kubist::runtimes
