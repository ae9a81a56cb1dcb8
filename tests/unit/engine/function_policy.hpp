#pragma once
#include <functional>

#include "fakes.hpp"

namespace kubist::engine::testing {

using Function = std::function<util::Result<Json>(Json)>;

/// One function for each input; counts how many came together.
struct FunctionRuntime : PolicyRuntime {
  explicit FunctionRuntime(Function given) : function(std::move(given)) {}
  std::vector<PolicyAnswer> evaluate(const PolicyDefinition&, std::span<const Json> inputs,
                                     const std::stop_token&) override {
    batches.push_back(inputs.size());
    std::vector<PolicyAnswer> answers;
    for (const Json& input : inputs) {
      answers.push_back({function(input), "", false});
    }
    return answers;
  }
  Function function;
  std::vector<std::size_t> batches;
};

/// A built-in policy that is that function.
inline std::shared_ptr<FunctionRuntime> add_policy(World& world, const std::string& name,
                                                   Function function,
                                                   Json parameters = Json::object()) {
  auto runtime = std::make_shared<FunctionRuntime>(std::move(function));
  auto definition = definition_of(name, runtime, std::move(parameters));
  definition->wants_now = definition->wants_run = true;
  world.policies.add_builtin(definition);
  return runtime;
}

/// With that text at the end of a label of the first item.
inline Json append(Json list, const std::string& text) {
  Json& label = list["items"][0]["spec"]["labels"]["path"];
  label = (label.is_string() ? label.get<std::string>() : "") + text;
  return list;
}

}  // namespace kubist::engine::testing
