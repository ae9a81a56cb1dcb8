#include "policy/function_policy.hpp"

#include <stdexcept>

#include <kubist/data/json_patch.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

namespace kubist::policies {

using util::cat;
using util::ErrorKind;

namespace {

class FunctionRuntime : public engine::PolicyRuntime {
 public:
  explicit FunctionRuntime(PolicyFunction function) : m_function(std::move(function)) {}

  std::vector<engine::PolicyAnswer> evaluate(const engine::PolicyDefinition& /*definition*/,
                                             std::span<const Json> inputs,
                                             const std::stop_token& /*stop*/) override {
    std::vector<engine::PolicyAnswer> answers;
    answers.reserve(inputs.size());
    for (const Json& input : inputs) {
      Json list = input;
      auto done = m_function(list);
      if (done) {
        answers.push_back({std::move(list), {}, false});
      } else {
        answers.push_back({util::fail(done.error()), {}, false});
      }
    }
    return answers;
  }

 private:
  PolicyFunction m_function;
};

bool below_spec(std::string_view path) { return path == "/spec" || path.starts_with("/spec/"); }

}  // namespace

Builtin make_builtin(BuiltinText text, std::vector<std::string> aliases, PolicyFunction function) {
  auto definition = std::make_shared<engine::PolicyDefinition>();
  definition->name = text.name;
  definition->origin = engine::k_built_in;
  definition->summary = std::move(text.summary);
  definition->doc = std::move(text.doc);
  definition->parameters = std::move(text.parameters);
  definition->wants_now = text.wants_now;
  definition->wants_approvals = text.wants_approvals;
  definition->kinds = std::move(text.kinds);
  definition->metrics = std::move(text.metrics);
  definition->queries = std::move(text.queries);
  definition->check = std::move(text.check);
  definition->calls_jobs = std::move(text.calls_jobs);
  auto schema = engine::compile_parameters(definition->parameters, text.name);
  if (!schema) {  // a bug in this file's caller
    throw std::logic_error(schema.error().message);
  }
  definition->schema = std::move(*schema);
  definition->runtime = std::make_shared<FunctionRuntime>(std::move(function));
  return {std::move(definition), std::move(aliases)};
}

const Json& parameters_of(const Json& list) { return list["functionConfig"]["parameters"]; }

Json state_of(const Json& list) { return data::object_at(list, {"functionConfig", "state"}); }

Json& resource_of(Json& list) { return list["items"][0]; }

void set_outcome(Json& list, const std::string& outcome, const std::string& message) {
  list["functionConfig"]["status"]["outcome"] = outcome;
  list["results"].push_back({{"severity", "info"}, {"message", message}});
}

void set_requeue(Json& list, std::chrono::seconds after) {
  list["functionConfig"]["status"]["requeueAfter"] = cat(after.count(), "s");
}

util::Result<> patch_resource(Json& list, const Json& patch) {
  for (const Json& operation : patch) {
    for (const char* field : {"path", "from"}) {
      auto path = data::string_at(operation, {field}, "/spec");
      if (!below_spec(path)) {
        return util::fail(
            ErrorKind::invalid,
            cat("patch: ", path, " is not below /spec, the only part that a policy may change"));
      }
    }
  }
  KUBIST_TRY(resource_of(list), data::apply_json_patch(resource_of(list), patch));
  return {};
}

Json patch_schema(const std::string& description) {
  const Json operation = {{"type", "string"},
                          {"description", "What is done at the path, as in RFC 6902."},
                          {"enum", {"add", "remove", "replace", "move", "copy", "test"}}};
  const Json path = {{"type", "string"},
                     {"description", "Where, as a JSON Pointer: /spec/labels/team."}};
  const Json from = {{"type", "string"}, {"description", "Of move and copy: from where."}};
  const Json value = {{"x-kubernetes-preserve-unknown-fields", true},
                      {"description", "Of add, replace and test: the value."}};
  return {
      {"type", "array"},
      {"description", description},
      {"items",
       {{"type", "object"},
        {"required", {"op", "path"}},
        {"properties", {{"op", operation}, {"path", path}, {"from", from}, {"value", value}}}}}};
}

}  // namespace kubist::policies
