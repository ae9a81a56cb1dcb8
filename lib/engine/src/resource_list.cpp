#include <kubist/data/json_patch.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/engine/resource_list.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "answer.hpp"

namespace kubist::engine {

using util::cat;
using util::ErrorKind;

namespace {

// A string that is exactly ${parameters.NAME} becomes the value; parts of strings never do, so that
// a parameter cannot write what stands around it.
Json fill_template(const Json& value, const Json& parameters) {
  constexpr std::string_view k_open = "${parameters.";
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (text.starts_with(k_open) && text.ends_with('}')) {
      std::string name = text.substr(k_open.size(), text.size() - k_open.size() - 1);
      return parameters.contains(name) ? parameters[name] : Json();
    }
    return value;
  }
  Json filled = value;
  if (value.is_structured()) {
    for (auto& element : filled) {
      element = fill_template(element, parameters);
    }
  }
  return filled;
}

Json make_function_config(const PolicyDefinition& definition, const PolicyInput& input) {
  if (definition.function_config.is_object() && !definition.function_config.empty()) {
    return fill_template(definition.function_config, input.parameters);
  }
  Json config = {{"apiVersion", resources::k_kubist_api_version},
                 {"kind", k_policy_run},
                 {"metadata", {{"name", definition.name}}},
                 {"parameters", input.parameters},
                 {"settings", input.settings},
                 {"metrics", input.metrics}};
  if (!input.state.is_null()) {
    config["state"] = input.state;
  }
  if (input.decision) {
    config["decision"] = to_json(*input.decision);
  }
  if (!input.answers.is_null()) {
    config["answers"] = input.answers;
  }
  if (!input.target.is_null()) {
    config["target"] = input.target;
  }
  if (definition.wants_now) {
    config["now"] = util::format_time(input.now);
  }
  if (definition.wants_run) {
    config["run"] = {{"id", input.run_id}, {"attempt", input.attempt}, {"seed", input.seed}};
  }
  return config;
}

util::Result<> check_items(const Json& before, const Json& after) {
  if (after.empty()) {
    return broken_list("it returned no items: items[0] must be the resource");
  }
  if (!after[0].is_object() || !after[0].contains("spec") || !after[0]["spec"].is_object()) {
    return broken_list("items[0].spec must be a map");
  }
  Json old_resource = before[0];
  Json new_resource = after[0];
  old_resource.erase("spec");
  new_resource.erase("spec");
  if (old_resource != new_resource) {
    auto where = data::make_merge_patch(old_resource, new_resource);
    std::string field = where.is_object() && !where.empty() ? where.begin().key() : "?";
    return broken_list(
        cat("it changed items[0].", field, ": a policy may change items[0].spec only"));
  }
  if (after.size() > before.size()) {
    return broken_list(cat("it returned ", after.size(), " items instead of ", before.size(),
                           ": a policy cannot add objects"));
  }
  for (std::size_t i = 1; i < after.size(); ++i) {
    if (after[i] != before[i]) {
      return broken_list(cat("it changed items[", i, "]: a policy may change items[0].spec only"));
    }
  }
  return {};
}

}  // namespace

Json make_policy_input(const PolicyDefinition& definition, PolicyInput input) {
  Json items = Json::array();
  items.push_back(std::move(input.resource));
  std::move(input.observed.begin(), input.observed.end(), std::back_inserter(items));
  return {{"apiVersion", k_resource_list_version},
          {"kind", "ResourceList"},
          {"items", std::move(items)},
          {"functionConfig", make_function_config(definition, input)}};
}

util::Result<PolicyOutput> read_policy_output(const Json& input, const Json& output) {
  KUBIST_TRY(Answer answer, read_answer(output));
  KUBIST_CHECK(check_items(input["items"], answer.items));
  PolicyOutput out;
  out.spec = std::move(answer.items[0]["spec"]);
  out.results = std::move(answer.results);
  KUBIST_CHECK(read_status(answer.status, out));
  KUBIST_TRY(out.calls, read_calls(answer.status));
  return out;
}

Json resource_for_policies(Json resource) {
  if (auto* metadata = data::find_path(resource, {"metadata"}); metadata && metadata->is_object()) {
    metadata->erase("managedFields");
    metadata->erase("resourceVersion");
  }
  if (!resource.contains("spec") || !resource["spec"].is_object()) {
    resource["spec"] = Json::object();
  }
  if (auto* status = data::find_path(resource, {"status"}); status && status->is_object()) {
    for (const char* field :
         {"observedGeneration", "conditions", "lastRun", "failures", "nextRunAt", "policies",
          "effective", "handledRequest", "inventory", "inventoryOverflow", "executor"}) {
      status->erase(field);
    }
    if (status->empty()) {
      resource.erase("status");
    }
  }
  return resource;
}

}  // namespace kubist::engine
