#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/cli/help.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "reference/pages.hpp"

namespace kubist::cli {
namespace {

util::Result<> write_man_pages(const std::string& folder) {
  KUBIST_CHECK(util::write_file(folder + "/kubist.1", man_page(nullptr), 0644));
  for (const CommandSpec& spec : commands()) {
    if (!spec.hidden) {
      const std::string name = util::replace_all(spec.path, " ", "-");
      KUBIST_CHECK(
          util::write_file(util::cat(folder, "/kubist-", name, ".1"), man_page(&spec), 0644));
    }
  }
  return {};
}

util::Result<> write_reference(const std::string& folder) {
  for (const auto& pages : {command_pages(), kind_pages(), policy_pages(), reason_pages()}) {
    for (const Page& page : pages) {
      KUBIST_CHECK(util::write_file(util::cat(folder, '/', page.path), page.text, 0644));
    }
  }
  return {};
}

util::Result<int> run_dump(Context& context, const Arguments& arguments) {
  if (const std::string folder = arguments.text("man"); !folder.empty()) {
    KUBIST_CHECK(write_man_pages(folder));
  } else if (const std::string pages = arguments.text("reference"); !pages.empty()) {
    KUBIST_CHECK(write_reference(pages));
  } else {
    context.out().write(dump());
  }
  return k_ok;
}

}  // namespace

CommandSpec dump_command() {
  return {.path = "__dump-cli",
          .summary = "Print the command tree as JSON, or write pages",
          .flags = {{"man", 0, FlagKind::text, "FOLDER",
                     "write the man pages into this folder instead"},
                    {"reference", 0, FlagKind::text, "FOLDER",
                     "write the generated pages of docs/reference into this folder instead"}},
          .run = run_dump,
          .hidden = true};
}

}  // namespace kubist::cli
