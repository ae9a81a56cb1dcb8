// Runs a command and tells what it took:
//
//   bench_measure FD COMMAND [ARGUMENT...]
//
// writes "WALL_S USER_S SYSTEM_S PEAK_KB STATUS\n" to FD, STATUS as wait4() gives it. A process
// starts with the peak memory of the one that forked it, so commands are not started from Python:
// this program is linked statically and has next to none.
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace {

double seconds(const timeval& time) { return double(time.tv_sec) + double(time.tv_usec) / 1e6; }

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return double(time.tv_sec) + double(time.tv_nsec) / 1e9;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    dprintf(STDERR_FILENO, "usage: bench_measure FD COMMAND [ARGUMENT...]\n");
    return 64;
  }
  const int fd = std::atoi(argv[1]);
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  const double start = now();
  const pid_t child = fork();
  if (child == 0) {
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
    perror("bench_measure");
    return 1;
  }
  dprintf(fd, "%.6f %.6f %.6f %ld %d\n", now() - start, seconds(usage.ru_utime),
          seconds(usage.ru_stime), usage.ru_maxrss, status);
  return 0;
}
