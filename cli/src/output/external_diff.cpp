#include "external_diff.hpp"

#include <kubist/util/fs.hpp>
#include <kubist/util/process.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {
namespace {

constexpr const char* k_variable = "KUBECTL_EXTERNAL_DIFF";

}  // namespace

std::vector<std::string> external_diff() {
  std::vector<std::string> program = util::split(util::environment(k_variable), ' ');
  std::erase(program, "");
  return program;
}

util::Result<bool> compare_by(Context& context, const std::vector<std::string>& program,
                              const apply::SetDiffs& diffs) {
  const util::TempDir live("LIVE");
  const util::TempDir merged("MERGED");
  for (const apply::SetDiff& entry : diffs.objects) {
    // The name has what the server answered: it leads nowhere else.
    const std::string name = util::replace_all(entry.name, "/", "_");
    // What is not there is an empty file, as kubectl's.
    KUBIST_CHECK(util::write_file(live.path() / name, entry.diff.before));
    KUBIST_CHECK(util::write_file(merged.path() / name, entry.diff.after));
  }
  util::Command command{
      .args = program, .inherit_stdout = context.out_is_terminal(), .inherit_stderr = true};
  command.args.insert(command.args.end(), {live.path().string(), merged.path().string()});
  const std::string hint =
      util::cat("$", k_variable, " names the program: unset it for kubist's own text.");
  auto ran = util::run_command(command, context.stop());
  if (!ran) {
    ran.error().hint = hint;
    return util::fail(std::move(ran).error());
  }
  context.out().write(ran->out);
  if (ran->exit_code > 1) {
    return util::fail(util::ErrorKind::invalid,
                      util::cat("the program \"", program[0], "\" ended with exit code ",
                                ran->exit_code, " when it compared what differs"),
                      hint);
  }
  return ran->exit_code == 1;
}

}  // namespace kubist::cli
