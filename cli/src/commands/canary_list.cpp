#include <kubist/cli/context.hpp>

#include "commands.hpp"
#include "query/get_run.hpp"

namespace kubist::cli {
namespace {

util::Result<int> run(Context& context, const Arguments& arguments) {
  std::vector<std::string> words = arguments.words();
  if (!arguments.given("filename")) {
    words.insert(words.begin(), "canaryreleases.kubist.io");
  }
  return run_get(context, arguments, words);
}

}  // namespace

const CommandSpec& canary_list_command() {
  static const CommandSpec spec{
      .path = "canary list",
      .group = "Releases",
      .summary = "List releases with their states and weights",
      .details = "The same as 'kubist get canaryreleases', with all its flags.",
      .arguments = "[NAME...]",
      .max_words = -1,
      .completes = Completes::canaries,
      .flags = get_flags(),
      .examples = {{"Of all projects", "kubist canary list -A"},
                   {"Follow them", "kubist canary list -A -w"}},
      .run = run};
  return spec;
}

}  // namespace kubist::cli
