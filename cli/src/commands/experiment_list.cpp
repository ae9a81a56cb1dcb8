#include <kubist/cli/context.hpp>

#include "commands.hpp"
#include "input.hpp"
#include "query/get_run.hpp"

namespace kubist::cli {

CommandSpec experiment_list_command() {
  return {.path = "experiment list",
          .group = "Releases and traffic",
          .summary = "List experiments with their states and winners",
          .details = "The same as 'kubist get experiments', with all its flags.",
          .arguments = "[NAME...]",
          .max_words = -1,
          .completes = Completes::experiments,
          .flags = get_flags(),
          .examples = {{"Of all projects", "kubist experiment list -A"}},
          .run = [](Context& context, const Arguments& arguments) {
            return run_get(context, arguments, typed_words(arguments, "experiments.kubist.io"));
          }};
}

}  // namespace kubist::cli
