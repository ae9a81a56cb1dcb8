#include "policies/jsonnet_runtime.hpp"

#include <kubist/data/document.hpp>
#include <kubist/util/text.hpp>

#include "policies/input_project.hpp"

namespace kubist::executors {

using data::Json;

namespace {

util::Result<Json> parse_output(const engine::PolicyDefinition& definition,
                                const util::Result<std::string>& text) {
  if (!text) {
    return util::fail(text.error());
  }
  auto value = data::parse_json(*text, "answer", {.big_integers = data::BigIntegers::as_float});
  if (!value) {
    return util::fail(
        util::ErrorKind::invalid,
        util::cat("policy ", definition.name, " gave back no JSON that has 500 levels at most"));
  }
  return value;
}

class JsonnetRuntime final : public engine::PolicyRuntime {
 public:
  explicit JsonnetRuntime(runtimes::JsonnetOptions options) : m_jsonnet(std::move(options)) {}

  std::vector<engine::PolicyAnswer> evaluate(const engine::PolicyDefinition& definition,
                                             std::span<const Json> inputs,
                                             const std::stop_token& stop) override {
    std::vector<std::string> texts;
    for (const Json& input : inputs) {
      texts.push_back(input.dump());
    }
    std::vector<engine::PolicyAnswer> answers;
    const std::string name = util::cat(definition.origin, '/', definition.name);
    for (runtimes::Answer& answer :
         m_jsonnet.call(name, definition.source, texts, stop, project_of(inputs[0]))) {
      answers.push_back(
          {parse_output(definition, answer.output), std::move(answer.stderr_tail), answer.cached});
    }
    return answers;
  }

 private:
  runtimes::Jsonnet m_jsonnet;
};

}  // namespace

std::shared_ptr<engine::PolicyRuntime> make_jsonnet_runtime(runtimes::JsonnetOptions options) {
  return std::make_shared<JsonnetRuntime>(std::move(options));
}

}  // namespace kubist::executors
