#include <kubist/runtimes/exec.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

namespace kubist::runtimes {

using util::cat;
using util::ErrorKind;

namespace {

util::Result<> check_program(const std::string& name, const ExecProgram& program) {
  if (!program.program.is_absolute()) {
    return util::fail(ErrorKind::invalid, cat("exec ", name, ": ", program.program.string(),
                                              " is not an absolute path"));
  }
  if (program.sha256.empty()) {
    return {};
  }
  auto bytes = util::read_file(program.program);
  if (!bytes) {
    return util::fail(util::with_context(bytes.error(), cat("exec ", name)));
  }
  if (std::string actual = util::sha256_hex(*bytes); actual != util::lower(program.sha256)) {
    return util::fail(ErrorKind::forbidden,
                      cat("exec ", name, ": ", program.program.string(), " has sha256 ", actual,
                          ", not the configured one"),
                      "check the program, then correct sha256 in the local configuration file");
  }
  return {};
}

}  // namespace

Answer run_exec(const std::string& name, const ExecProgram& program, const std::string& input,
                const std::stop_token& stop, const std::string& project) {
  if (auto fine = check_program(name, program); !fine) {
    return {util::fail(fine.error()), {}, false};
  }
  ChildCommand command;
  command.program = program.program;
  command.args = program.args;
  command.input = input;
  command.limits = program.limits;
  command.project = project;
  auto result = run_child(command, stop);
  if (!result) {
    return {util::fail(util::with_context(result.error(), cat("exec ", name))), {}, false};
  }
  if (!result->ok()) {
    return {util::fail(child_error(*result, cat("exec ", name), program.limits)),
            result->stderr_tail, false};
  }
  return {std::move(result->out), std::move(result->stderr_tail), false};
}

}  // namespace kubist::runtimes
