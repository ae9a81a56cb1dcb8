#include <kubist/data/json_patch.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/engine/resource_list.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

namespace kubist::engine {

using util::cat;
using util::ErrorKind;

namespace {

constexpr std::string_view k_policy_run = "PolicyRun";

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

tl::unexpected<util::Error> broken_list(std::string message) {
  return util::fail(
      util::make_error(util::ErrorKind::invalid, std::move(message), {}, "PolicyFailed"));
}

bool is_policy_run(const Json& object) {
  return object.is_object() && data::string_at(object, {"kind"}) == k_policy_run;
}

/// Takes PolicyRuns out of the items; the last one that has a status counts.
Json take_run_status(const Json& output, Json& items) {
  Json status;
  auto consider = [&](const Json& run) {
    if (auto found = run.find("status"); found != run.end() && found->is_object()) {
      status = *found;
    }
  };
  if (auto config = output.find("functionConfig");
      config != output.end() && is_policy_run(*config)) {
    consider(*config);
  }
  Json kept = Json::array();
  for (Json& item : items) {
    if (is_policy_run(item)) {
      consider(item);
    } else {
      kept.push_back(std::move(item));
    }
  }
  items = std::move(kept);
  return status;
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

util::Result<std::vector<PolicyMessage>> read_results(const Json& output) {
  std::vector<PolicyMessage> messages;
  auto results = output.find("results");
  if (results == output.end() || results->is_null()) {
    return messages;
  }
  if (!results->is_array()) {
    return broken_list("results must be a list");
  }
  for (const Json& result : *results) {
    PolicyMessage message;
    message.severity = util::lower(data::string_at(result, {"severity"}, "info"));
    message.message = data::string_at(result, {"message"});
    if (result.is_object() && result.contains("field")) {
      const Json& field = result["field"];
      message.field = field.is_string() ? field.get<std::string>()
                                        : std::string(data::string_at(field, {"path"}));
    }
    if (message.severity != "info" && message.severity != "warning" &&
        message.severity != "error") {
      return broken_list(
          cat("results: unknown severity \"", message.severity, "\" (error, warning, info)"));
    }
    messages.push_back(std::move(message));
  }
  return messages;
}

util::Result<std::optional<std::chrono::milliseconds>> read_requeue(const Json& status) {
  using Requeue = std::optional<std::chrono::milliseconds>;
  auto found = status.find("requeueAfter");
  if (found == status.end() || found->is_null()) {
    return Requeue();
  }
  if (found->is_number() && found->get<double>() >= 0 && found->get<double>() < 1e9) {
    return Requeue(std::chrono::milliseconds(static_cast<long long>(found->get<double>() * 1000)));
  }
  auto parsed = found->is_string() ? util::parse_duration(found->get<std::string>())
                                   : util::Result<std::chrono::nanoseconds>(
                                         util::fail(ErrorKind::invalid, "not a duration"));
  if (!parsed || parsed->count() < 0) {
    return broken_list("status.requeueAfter must be a duration like 30s, or seconds");
  }
  return Requeue(std::chrono::ceil<std::chrono::milliseconds>(*parsed));
}

util::Result<> read_status(const Json& status, PolicyOutput& out) {
  if (!status.is_object()) {
    return {};
  }
  if (auto state = status.find("state"); state != status.end()) {
    std::size_t size = data::to_json(*state).size();
    if (size > k_max_policy_state) {
      return broken_list(cat("its state has ", size, " bytes, more than ", k_max_policy_state));
    }
    out.state = *state;
  }
  out.outcome = data::string_at(status, {"outcome"});
  out.hold = util::iequals(out.outcome, "hold");
  KUBIST_TRY(out.requeue_after, read_requeue(status));
  KUBIST_TRY(out.decision, read_decision(status));
  return {};
}

/// What policies and executors alike answer.
struct Answer {
  Json items;  ///< without PolicyRuns
  std::vector<PolicyMessage> results;
  Json status;  ///< of the PolicyRun
};

util::Result<Answer> read_answer(const Json& output) {
  if (!output.is_object() || data::string_at(output, {"kind"}) != "ResourceList") {
    return broken_list("it did not return a ResourceList (config.kubernetes.io/v1)");
  }
  Answer answer;
  KUBIST_TRY(answer.results, read_results(output));
  std::vector<std::string> refusals;
  for (const PolicyMessage& message : answer.results) {
    if (message.severity == "error") {
      refusals.push_back(message.field.empty() ? message.message
                                               : cat(message.field, ": ", message.message));
    }
  }
  if (!refusals.empty()) {
    return util::fail(ErrorKind::denied, util::join(refusals, "; "), "", "PolicyDenied");
  }
  auto found = output.find("items");
  if (found == output.end() || !found->is_array()) {
    return broken_list("it returned no list of items");
  }
  answer.items = *found;
  answer.status = take_run_status(output, answer.items);
  return answer;
}

}  // namespace

Json make_policy_input(const PolicyDefinition& definition, const PolicyInput& input) {
  Json items = Json::array({input.resource});
  for (const Json& object : input.observed) {
    items.push_back(object);
  }
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

util::Result<ExecutorOutput> read_executor_output(const Json& input, const Json& output) {
  const auto named = [](util::Error error) {
    error.reason = error.kind == ErrorKind::denied ? "ExecutorDenied" : "ExecutorFailed";
    return util::fail(std::move(error));
  };
  auto answer = read_answer(output);
  if (!answer) {
    return named(answer.error());
  }
  PolicyOutput said;
  if (auto read = read_status(answer->status, said); !read) {
    return named(read.error());
  }
  ExecutorOutput out{{}, std::move(answer->results), std::move(said.state), said.requeue_after};
  const resources::ObjectRef own = resources::ObjectView(input["items"][0]).ref();
  for (Json& item : answer->items) {
    if (!item.is_object()) {
      return named(util::make_error(ErrorKind::invalid, "it returned an item that is no object"));
    }
    if (resources::ObjectView(item).ref() != own) {
      out.objects.push_back(std::move(item));
    }
  }
  return out;
}

Json resource_for_policies(const Json& object) {
  Json resource = object;
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
