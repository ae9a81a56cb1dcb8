#include <kubist/cli/context.hpp>

#include "commands.hpp"
#include "input.hpp"
#include "query/get_run.hpp"

namespace kubist::cli {

CommandSpec canary_list_command() {
  return {.path = "canary list",
          .group = "Releases and traffic",
          .summary = "List releases with their states and weights",
          .details = "The same as 'kubist get canaryreleases', with all its flags.",
          .arguments = "[NAME...]",
          .max_words = -1,
          .completes = Completes::canaries,
          .flags = get_flags(),
          .examples = {{"Of all projects", "kubist canary list -A"},
                       {"Follow them", "kubist canary list -A -w"}},
          .run = [](Context& context, const Arguments& arguments) {
            return run_get(context, arguments, typed_words(arguments, "canaryreleases.kubist.io"));
          }};
}

}  // namespace kubist::cli
