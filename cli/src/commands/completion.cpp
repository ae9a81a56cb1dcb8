#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "completions.hpp"

namespace kubist::cli {
namespace {

util::Result<int> run_completion(Context& context, const Arguments& arguments) {
  const std::string& shell = arguments.words()[0];
  const std::string file = shell == "zsh" ? "_kubist" : util::cat("kubist.", shell);
  const std::string_view script = embedded::completions(file);
  if (script.empty()) {
    return util::fail(util::ErrorKind::usage,
                      util::cat("no completion for \"", shell, "\"",
                                util::did_you_mean(shell, {"bash", "zsh", "fish"})),
                      "There is one for bash, zsh and fish.");
  }
  context.out().write(script);
  return k_ok;
}

}  // namespace

CommandSpec completion_command() {
  return {
      .path = "completion",
      .group = "Settings",
      .summary = "Print the completion script for a shell",
      .details =
          "Names of kinds, objects, namespaces and contexts are completed from the cluster "
          "and the kubeconfig.",
      .arguments = "bash|zsh|fish",
      .min_words = 1,
      .max_words = 1,
      .completes = Completes::choices,
      .examples = {{"Complete in this bash", "source <(kubist completion bash)"},
                   {"Complete in every zsh", "kubist completion zsh > ~/.zsh/completions/_kubist"}},
      .run = run_completion};
}

}  // namespace kubist::cli
