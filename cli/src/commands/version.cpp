#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"

namespace kubist::cli {
namespace {

util::Result<int> run(Context& context, const Arguments&) {
  context.out().write("Client Version: v" KUBIST_VERSION "\n");
  return k_ok;
}

}  // namespace

const CommandSpec& version_command() {
  static const CommandSpec spec{
      .path = "version",
      .group = "Other commands",
      .summary = "Print the versions of kubist and of the API server",
      .flags = {{"client", 0, FlagKind::boolean, "", "only this program's version, no request"}},
      .examples = {{"The version of this program", "kubist version --client"}},
      .needs = Needs::cluster,
      .run = run};
  return spec;
}

}  // namespace kubist::cli
