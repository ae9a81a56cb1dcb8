#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/cli/help.hpp>

#include "commands.hpp"

namespace kubist::cli {

CommandSpec options_command() {
  return {.path = "options",
          .group = "Settings",
          .summary = "Explain the flags that every command takes",
          .examples = {{"How do I reach another cluster?", "kubist options"}},
          .run = [](Context& context, const Arguments&) {
            context.out().write(options_help());
            return k_ok;
          }};
}

}  // namespace kubist::cli
