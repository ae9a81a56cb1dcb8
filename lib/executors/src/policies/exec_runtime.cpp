#include "policies/exec_runtime.hpp"

#include <kubist/data/document.hpp>
#include <kubist/util/text.hpp>

#include "policies/input_project.hpp"

namespace kubist::executors {

using data::Json;

namespace {

class ExecRuntime final : public engine::PolicyRuntime {
 public:
  explicit ExecRuntime(std::map<std::string, runtimes::ExecProgram> programs)
      : m_programs(std::move(programs)) {}

  std::vector<engine::PolicyAnswer> evaluate(const engine::PolicyDefinition& definition,
                                             std::span<const Json> inputs,
                                             const std::stop_token& stop) override {
    const std::string& name = definition.source;
    std::vector<engine::PolicyAnswer> answers;
    for (const Json& input : inputs) {
      runtimes::Answer answer =
          runtimes::run_exec(name, m_programs.at(name), input.dump(), stop, project_of(input));
      answers.push_back({read(name, answer.output), std::move(answer.stderr_tail), false});
    }
    return answers;
  }

 private:
  // KRM functions that are made with kyaml answer in YAML.
  static util::Result<Json> read(const std::string& name, const util::Result<std::string>& text) {
    if (!text) {
      return util::fail(text.error());
    }
    KUBIST_TRY(auto document, data::read_document(*text, util::cat("the output of exec ", name)));
    return std::move(document.value);
  }

  std::map<std::string, runtimes::ExecProgram> m_programs;
};

}  // namespace

std::shared_ptr<engine::PolicyRuntime> make_exec_runtime(
    std::map<std::string, runtimes::ExecProgram> programs) {
  return std::make_shared<ExecRuntime>(std::move(programs));
}

}  // namespace kubist::executors
