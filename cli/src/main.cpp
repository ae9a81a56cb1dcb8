#include <csignal>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include <kubist/cli/run.hpp>
#include <kubist/runtimes/jsonnet.hpp>

// jemalloc's, where it is linked (util/memory.hpp). One arena: most threads wait most of the time.
// The pages of a list go back at once.
extern "C" const char* malloc_conf;
const char* malloc_conf = "narenas:1,oversize_threshold:4194304";

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "__jsonnet") {
    return kubist::runtimes::jsonnet_child_main();
  }
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is seen where it is written to
  kubist::cli::FdSink out(STDOUT_FILENO);
  kubist::cli::FdSink err(STDERR_FILENO);
  std::vector<std::string> words(argv + 1, argv + argc);
  // What kubectl runs for the completion of its plugin kubectl-kubist.
  if (std::string_view(argv[0]).ends_with("kubectl_complete-kubist")) {
    words.insert(words.begin(), {"__complete", "--for-kubectl", "--"});
  }
  return kubist::cli::run(words, out, err);
}
