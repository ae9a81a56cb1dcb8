#include "spawn.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "syscalls.hpp"

extern "C" {
#include <sys/pidfd.h>  // glibc 2.36 does not say so itself
}

namespace kubist::runtimes {

using util::cat;
using util::ErrorKind;
using util::Fd;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool k_limit_memory = false;  // sanitizers reserve terabytes of address space
#else
constexpr bool k_limit_memory = true;
#endif

struct Pipe {
  Fd read;
  Fd write;
};

/// Both ends close on exec and lie above stderr, so that dup2 onto 0 to 2 never meets them.
util::Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return util::fail(ErrorKind::internal, cat("cannot make a pipe: ", std::strerror(errno)));
  }
  Pipe pipe{Fd(ends[0]), Fd(ends[1])};
  for (Fd* end : {&pipe.read, &pipe.write}) {
    if (end->get() <= STDERR_FILENO) {
      *end = Fd(::fcntl(end->get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    }
    if (!*end) {
      return util::fail(ErrorKind::internal, cat("cannot make a pipe: ", std::strerror(errno)));
    }
  }
  return pipe;
}

void set_nonblocking(const Fd& fd) { ::fcntl(fd.get(), F_SETFL, O_NONBLOCK); }

/// Everything that the child needs, laid out before the fork: after it, only async-signal-safe
/// calls are allowed, since other threads may hold any lock.
struct Launch {
  const char* program = nullptr;
  const char* folder = nullptr;
  std::vector<char*> argv;
  std::vector<char*> envp;
  int in = -1;
  int out = -1;
  int err = -1;
  int failure = -1;  ///< where the child reports errno when it cannot execute
  const Limits* limits = nullptr;
  std::uint64_t processes = 0;  ///< as RLIMIT_NPROC counts: all of the user; 0: no limit
};

/// The kernel counts all threads of the user, and only those of the whole machine are told.
std::uint64_t process_limit(const Limits& limits) {
  const auto load = util::read_file("/proc/loadavg");  // "0.20 0.18 0.12 1/80 11206"
  rlimit present{};
  if (limits.processes == 0 || !load || ::getrlimit(RLIMIT_NPROC, &present) != 0) {
    return 0;
  }
  const std::size_t slash = load->find('/');
  const std::size_t end = load->find(' ', std::min(slash, load->size()));
  const auto all = slash == std::string::npos
                       ? std::nullopt
                       : util::parse_int(load->substr(slash + 1, end - slash - 1));
  return all ? std::min<std::uint64_t>(static_cast<std::uint64_t>(*all) + limits.processes,
                                       present.rlim_max)
             : 0;
}

bool limit(int resource, std::uint64_t soft, std::uint64_t hard) {
  rlimit value{soft, hard};
  return soft == 0 || ::setrlimit(static_cast<__rlimit_resource>(resource), &value) == 0;
}

bool set_limits(const Limits& limits, std::uint64_t processes) {
  auto cpu = static_cast<std::uint64_t>(limits.cpu.count());
  rlimit no_core{0, 0};
  return ::setrlimit(RLIMIT_CORE, &no_core) == 0 &&
         limit(RLIMIT_CPU, cpu, cpu + 1) &&  // SIGXCPU at the soft one, SIGKILL a second later
         (!k_limit_memory || limit(RLIMIT_AS, limits.memory_bytes, limits.memory_bytes)) &&
         limit(RLIMIT_DATA, limits.data_bytes, limits.data_bytes) &&
         limit(RLIMIT_STACK, limits.stack_bytes, limits.stack_bytes) &&
         limit(RLIMIT_NOFILE, limits.open_files, limits.open_files) &&
         limit(RLIMIT_NPROC, processes, processes) &&
         limit(RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes);
}

void reset_signals() {
  for (int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, SIGXCPU, SIGXFSZ}) {
    ::signal(number, SIG_DFL);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void run_in_child(const Launch& launch) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  reset_signals();
  bool ready = ::dup2(launch.in, STDIN_FILENO) >= 0 && ::dup2(launch.out, STDOUT_FILENO) >= 0 &&
               ::dup2(launch.err, STDERR_FILENO) >= 0 &&
               ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) == 0 &&
               ::chdir(launch.folder) == 0 && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
               set_limits(*launch.limits, launch.processes);
  ::umask(S_IRWXG | S_IRWXO);
  if (ready) {
    refuse_dangerous_calls();
    ::execve(launch.program, launch.argv.data(), launch.envp.data());
  }
  int why = errno;
  [[maybe_unused]] auto written = ::write(launch.failure, &why, sizeof why);
  ::_exit(127);
}

util::Error start_error(const ChildCommand& command, int why) {
  ErrorKind kind = why == ENOENT || why == ENOTDIR ? ErrorKind::not_found
                   : why == EACCES || why == EPERM ? ErrorKind::forbidden
                                                   : ErrorKind::internal;
  return util::make_error(kind,
                          cat("cannot start ", command.program.string(), ": ", std::strerror(why)));
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& text : strings) {
    out.push_back(text.data());
  }
  out.push_back(nullptr);
  return out;
}

}  // namespace

util::Result<Spawned> spawn(const ChildCommand& command, const std::filesystem::path& folder) {
  KUBIST_TRY(Pipe in, make_pipe());
  KUBIST_TRY(Pipe out, make_pipe());
  KUBIST_TRY(Pipe err, make_pipe());
  KUBIST_TRY(Pipe failure, make_pipe());
  std::string program = command.program.string();
  std::string directory = folder.string();
  std::vector<std::string> args{program};
  args.insert(args.end(), command.args.begin(), command.args.end());
  std::vector<std::string> environment = command.environment;
  Launch launch{program.c_str(), directory.c_str(),
                pointers(args),  pointers(environment),
                in.read.get(),   out.write.get(),
                err.write.get(), failure.write.get(),
                &command.limits, process_limit(command.limits)};
  pid_t pid = ::fork();
  if (pid < 0) {
    return util::fail(ErrorKind::internal, cat("cannot fork: ", std::strerror(errno)));
  }
  if (pid == 0) {
    run_in_child(launch);
  }
  ::setpgid(pid, pid);  // both sides set it, so that it holds whoever runs first
  failure.write.reset();
  int why = 0;
  ssize_t got = 0;
  do {
    got = ::read(failure.read.get(), &why, sizeof why);
  } while (got < 0 && errno == EINTR);
  if (got == sizeof why) {
    ::waitpid(pid, nullptr, 0);
    return util::fail(start_error(command, why));
  }
  Spawned child{pid, Fd(::pidfd_open(pid, 0)), std::move(in.write), std::move(out.read),
                std::move(err.read)};
  if (!child.pidfd) {
    int error = errno;
    ::kill(-pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return util::fail(ErrorKind::internal, cat("pidfd_open: ", std::strerror(error)));
  }
  for (Fd* end : {&child.in, &child.out, &child.err}) {
    set_nonblocking(*end);
  }
  return child;
}

}  // namespace kubist::runtimes
