#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/cli/help.hpp>

#include "commands.hpp"

namespace kubist::cli {
namespace {

util::Result<int> run_options_command(Context& context, const Arguments&) {
  context.out().write(options_help());
  return k_ok;
}

}  // namespace

const CommandSpec& options_command() {
  static const CommandSpec spec{.path = "options",
                                .group = "Settings",
                                .summary = "Explain the flags that every command takes",
                                .examples = {{"How do I reach another cluster?", "kubist options"}},
                                .run = run_options_command};
  return spec;
}

}  // namespace kubist::cli
