#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kubist/util/fd.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/process.hpp>
#include <kubist/util/text.hpp>

namespace kubist::util {
namespace {

constexpr std::chrono::seconds k_grace{1};  // from SIGTERM to SIGKILL

struct Pipe {
  Fd read, write;
  Pipe() {
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) == 0) {
      read.reset(ends[0]);
      write.reset(ends[1]);
    }
  }
};

std::vector<std::string> merged_environment(std::map<std::string, std::string> extra) {
  extra.merge(all_environment());
  std::vector<std::string> all;
  for (const auto& [name, value] : extra) {
    all.push_back(cat(name, '=', value));
  }
  return all;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (const std::string& text : strings) {
    result.push_back(const_cast<char*>(text.c_str()));
  }
  result.push_back(nullptr);
  return result;
}

Result<pid_t> spawn(const Command& command, const Pipe& in, const Pipe& out, const Pipe& err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (!command.inherit_stdin) {
    posix_spawn_file_actions_adddup2(&actions, in.read.get(), STDIN_FILENO);
  }
  if (!command.inherit_stdout) {
    posix_spawn_file_actions_adddup2(&actions, out.write.get(), STDOUT_FILENO);
  }
  if (!command.inherit_stderr) {
    posix_spawn_file_actions_adddup2(&actions, err.write.get(), STDERR_FILENO);
  }
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);  // libcurl's sockets
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);  // ours blocks what Cancellation waits for
  // A session of its own can be killed as a whole, but has no terminal to ask anybody.
  posix_spawnattr_setflags(&attributes,
                           static_cast<short>(POSIX_SPAWN_SETSIGMASK |
                                              (command.inherit_stdin ? 0 : POSIX_SPAWN_SETSID)));
  const auto environment = merged_environment(command.extra_environment);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, command.args.front().c_str(), &actions, &attributes,
                                   pointers(command.args).data(), pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return fail(error == ENOENT ? ErrorKind::not_found : ErrorKind::internal,
                cat("cannot run ", command.args.front(), ": ", std::strerror(error)));
  }
  return pid;
}

/// False: it has come to more than `limit` bytes.
bool append_ready(const pollfd& entry, Fd& from, std::string& to, std::size_t limit) {
  if ((entry.revents & (POLLIN | POLLHUP | POLLERR)) == 0) {
    return true;
  }
  std::array<char, 65536> buffer;
  const ssize_t count = ::read(from.get(), buffer.data(), buffer.size());
  if (count > 0) {
    to.append(buffer.data(), static_cast<std::size_t>(count));
  } else if (count == 0 || errno != EINTR) {
    from.reset();
  }
  return limit == 0 || to.size() <= limit;
}

std::string_view how_it_ended(ErrorKind why) {
  switch (why) {
    case ErrorKind::timeout:
      return " took too long and was ended";
    case ErrorKind::cancelled:
      return " was interrupted";
    default:
      return " printed too much and was ended";
  }
}

void write_ready(const pollfd& entry, Fd& to, std::string_view& input) {
  if ((entry.revents & (POLLOUT | POLLHUP | POLLERR)) == 0) {
    return;
  }
  const ssize_t count = ::write(to.get(), input.data(), input.size());
  if (count > 0) {
    input.remove_prefix(static_cast<std::size_t>(count));
  }
  if (input.empty() || (count < 0 && errno != EINTR && errno != EAGAIN)) {
    to.reset();
  }
}

}  // namespace

Result<CommandResult> run_command(const Command& command, std::stop_token stop) {
  std::signal(SIGPIPE, SIG_IGN);
  Pipe in;
  Pipe out;
  Pipe err;
  KUBIST_TRY(const pid_t pid, spawn(command, in, out, err));
  in.read.reset();
  out.write.reset();
  err.write.reset();
  ::fcntl(in.write.get(), F_SETFL, O_NONBLOCK);
  std::string_view input = command.input;
  if (command.inherit_stdin || input.empty()) {
    in.write.reset();
  }
  if (command.inherit_stdout) {
    out.read.reset();
  }
  if (command.inherit_stderr) {
    err.read.reset();
  }
  const Fd exited(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  Pipe wake;
  const std::stop_callback on_stop(
      stop, [&] { [[maybe_unused]] const auto sent = ::write(wake.write.get(), "x", 1); });
  auto end = std::chrono::steady_clock::now() + command.timeout;
  bool limited = command.timeout.count() > 0;
  CommandResult result;
  bool running = true;
  std::optional<ErrorKind> killed;
  const auto kill_all = [&](int signal) { ::kill(command.inherit_stdin ? pid : -pid, signal); };
  // A grandchild may keep the pipes open: the end of the program ends the wait, after what it
  // wrote.
  while (running) {
    std::array<pollfd, 5> polled{{{out.read.get(), POLLIN, 0},
                                  {err.read.get(), POLLIN, 0},
                                  {in.write.get(), POLLOUT, 0},
                                  {exited.get(), POLLIN, 0},
                                  {killed ? -1 : wake.read.get(), POLLIN, 0}}};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    ::poll(polled.data(), polled.size(),
           limited ? static_cast<int>(std::max<long long>(0, left.count() + 1)) : 1000);
    const bool fits = append_ready(polled[0], out.read, result.out, command.max_output) &&
                      append_ready(polled[1], err.read, result.err, command.max_output);
    write_ready(polled[2], in.write, input);
    if (!killed && stop.stop_requested()) {
      killed = ErrorKind::cancelled;
      limited = true;
      end = std::chrono::steady_clock::now() + k_grace;
      kill_all(SIGTERM);
    } else if (!fits || (limited && std::chrono::steady_clock::now() >= end)) {
      killed = killed.value_or(fits ? ErrorKind::timeout : ErrorKind::invalid);
      limited = false;
      out.read.reset();
      err.read.reset();
      kill_all(SIGKILL);
    }
    const bool more = out.read && (polled[0].revents & POLLIN) != 0;
    const bool more_errors = err.read && (polled[1].revents & POLLIN) != 0;
    running = (polled[3].revents & POLLIN) == 0 || more || more_errors;
  }
  if (killed) {
    kill_all(SIGKILL);  // what it left behind; until it is waited for, its id is nobody else's
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (killed) {
    return fail(*killed, cat(command.args.front(), how_it_ended(*killed)));
  }
  result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

}  // namespace kubist::util
