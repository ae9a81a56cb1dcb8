// The first process of every pod: holds the namespaces, reaps orphans, ends on SIGINT or SIGTERM.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void end(int signal) {
  (void)signal;
  _exit(0);
}

static void reap(int signal) {
  (void)signal;
  while (waitpid(-1, NULL, WNOHANG) > 0) {
  }
}

int main(void) {
  struct sigaction ends = {.sa_handler = end};
  struct sigaction reaps = {.sa_handler = reap, .sa_flags = SA_NOCLDSTOP};
  if (sigaction(SIGINT, &ends, NULL) || sigaction(SIGTERM, &ends, NULL) ||
      sigaction(SIGCHLD, &reaps, NULL)) {
    return 1;
  }
  for (;;) {
    pause();
  }
}
