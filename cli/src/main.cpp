#include <csignal>

#include <unistd.h>

#include <kubist/cli/run.hpp>

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is seen where it is written to
  kubist::cli::FdSink out(STDOUT_FILENO);
  kubist::cli::FdSink err(STDERR_FILENO);
  return kubist::cli::run({argv + 1, argv + argc}, out, err);
}
