#include <csignal>
#include <string_view>

#include <malloc.h>
#include <unistd.h>

#include <kubist/cli/run.hpp>
#include <kubist/runtimes/jsonnet.hpp>

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "__jsonnet") {
    return kubist::runtimes::jsonnet_child_main();
  }
#ifdef M_ARENA_MAX
  // Hundreds of threads that mostly wait: an arena for few of them each would keep what they freed.
  mallopt(M_ARENA_MAX, 2);
#endif
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is seen where it is written to
  kubist::cli::FdSink out(STDOUT_FILENO);
  kubist::cli::FdSink err(STDERR_FILENO);
  return kubist::cli::run({argv + 1, argv + argc}, out, err);
}
