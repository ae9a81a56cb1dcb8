#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/cli/help.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"

namespace kubist::cli {
namespace {

util::Result<int> run_dump(Context& context, const Arguments& arguments) {
  const std::string folder = arguments.text("man");
  if (folder.empty()) {
    context.out().write(dump());
    return k_ok;
  }
  KUBIST_CHECK(util::write_file(folder + "/kubist.1", man_page(nullptr), 0644));
  for (const CommandSpec& spec : commands()) {
    if (!spec.hidden) {
      const std::string name = util::replace_all(spec.path, " ", "-");
      KUBIST_CHECK(
          util::write_file(util::cat(folder, "/kubist-", name, ".1"), man_page(&spec), 0644));
    }
  }
  return k_ok;
}

}  // namespace

CommandSpec dump_command() {
  return {.path = "__dump-cli",
          .summary = "Print the command tree as JSON, or write the man pages",
          .flags = {{"man", 0, FlagKind::text, "FOLDER",
                     "write the man pages into this folder instead"}},
          .run = run_dump,
          .hidden = true};
}

}  // namespace kubist::cli
