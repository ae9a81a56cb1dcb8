#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/util/text.hpp>

#include "../input.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

util::Result<int> run(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const auto manifests, read_input(context, arguments));
  KUBIST_CHECK(check_input(manifests, nullptr, arguments.text("namespace"), context.stop()));
  context.out().write(util::cat(manifests.size(), manifests.size() == 1 ? " object is" : " objects are",
                                " valid\n"));
  return k_ok;
}

}  // namespace

const CommandSpec& validate_command() {
  static const CommandSpec spec{
      .path = "validate",
      .group = "Basic commands",
      .summary = "Check files without a cluster",
      .details =
          "kubist's own objects are checked against their schemas and rules, references and cycles "
          "across all files; every problem is printed with file, line and column. Objects of other "
          "kinds are only read.",
      .arguments = "-f FILE",
      .flags = {filename_flag(), recursive_flag()},
      .examples = {{"Check a folder in CI", "kubist validate -R -f env/"}},
      .needs = Needs::nothing,
      .run = run};
  return spec;
}

}  // namespace kubist::cli
