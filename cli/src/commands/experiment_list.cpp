#include <kubist/cli/context.hpp>

#include "commands.hpp"
#include "query/get_run.hpp"

namespace kubist::cli {
namespace {

util::Result<int> run(Context& context, const Arguments& arguments) {
  std::vector<std::string> words = arguments.words();
  if (!arguments.given("filename")) {
    words.insert(words.begin(), "experiments.kubist.io");
  }
  return run_get(context, arguments, words);
}

}  // namespace

const CommandSpec& experiment_list_command() {
  static const CommandSpec spec{
      .path = "experiment list",
      .group = "Releases",
      .summary = "List experiments with their states and winners",
      .details = "The same as 'kubist get experiments', with all its flags.",
      .arguments = "[NAME...]",
      .max_words = -1,
      .completes = Completes::experiments,
      .flags = get_flags(),
      .examples = {{"Of all projects", "kubist experiment list -A"}},
      .run = run};
  return spec;
}

}  // namespace kubist::cli
