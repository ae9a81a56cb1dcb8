#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/engine/policy_case.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "spec_check.hpp"

namespace kubist::engine {

using util::cat;
using util::ErrorKind;

namespace {

/// Everything of a recorded functionConfig that the policies get; the resource comes with the
/// items.
util::Result<PolicyInput> read_recorded(const Json& input) {
  const Json* items = data::find_path(input, {"items"});
  if (!items || !items->is_array() || items->empty() || !(*items)[0].is_object()) {
    return util::fail(ErrorKind::invalid,
                      "the input is no ResourceList: items must be a list that starts with the "
                      "resource");
  }
  PolicyInput read;
  read.resource = resource_for_policies((*items)[0]);
  read.observed.assign(items->begin() + 1, items->end());
  const Json& config = data::object_at(input, {"functionConfig"});
  read.parameters = data::object_at(config, {"parameters"});
  read.settings = data::object_at(config, {"settings"});
  read.metrics = data::object_at(config, {"metrics"});
  read.answers = config.value("answers", Json());
  read.target = config.value("target", Json());
  read.state = config.value("state", Json());
  if (auto now = data::string_at(config, {"now"}); !now.empty()) {
    KUBIST_TRY(read.now, util::parse_time(now));
  }
  read.run_id = data::string_at(config, {"run", "id"});
  read.attempt = static_cast<int>(data::int_at(config, {"run", "attempt"}, 1));
  read.seed = data::string_at(config, {"run", "seed"});
  return read;
}

/// Takes what a policy said into the input of the next one.
util::Result<> take_policy(const PolicyDefinition& definition, PolicyInput& state,
                           RecordedRun& run) {
  PolicyTrace& trace = run.trace.back();
  KUBIST_TRY(PolicyOutput output, read_policy_output(trace.input, trace.output));
  KUBIST_CHECK(check_recorded_spec(resources::ObjectView(state.resource).ref(),
                                   data::object_at(state.resource, {"spec"}), output.spec));
  trace.results = std::move(output.results);
  trace.outcome = output.outcome.empty() ? "Succeeded" : output.outcome;
  state.resource["spec"] = std::move(output.spec);
  run.output = trace.output;
  if (output.decision) {
    output.decision->by = definition.name;
    state.decision = state.decision ? more_cautious(*state.decision, *output.decision)
                                    : *std::move(output.decision);
  }
  if (state.decision) {  // what the next policy would get
    run.output["functionConfig"]["decision"] = to_json(*state.decision);
  }
  return {};
}

util::Result<> take_executor(RecordedRun& run) {
  PolicyTrace& trace = run.trace.back();
  KUBIST_TRY(ExecutorOutput output, read_executor_output(trace.input, trace.output));
  trace.results = std::move(output.results);
  trace.outcome = "Succeeded";
  run.output = trace.output;
  run.output["items"] = std::move(output.objects);
  return {};
}

util::Result<> run_one(const PolicyDefinition& definition, PolicyInput& state, RecordedRun& run,
                       const std::stop_token& stop) {
  PolicyTrace& trace = run.trace.emplace_back();
  trace.name = definition.name;
  trace.origin = definition.origin;
  auto parameters = resolve_parameters(definition, state.parameters, state.settings);
  if (!parameters) {
    trace.error = parameters.error();
    return util::fail(parameters.error());
  }
  PolicyInput own = state;
  own.parameters = std::move(*parameters);
  trace.input = make_policy_input(definition, own);
  auto begin = std::chrono::steady_clock::now();
  auto answers = definition.runtime->evaluate(definition, std::span(&trace.input, 1), stop);
  trace.took = std::chrono::steady_clock::now() - begin;
  trace.stderr_tail = answers.front().stderr_tail;
  const auto taken = [&]() -> util::Result<> {
    KUBIST_TRY(trace.output, std::move(answers.front().output));
    return definition.is_executor() ? take_executor(run) : take_policy(definition, state, run);
  }();
  if (!taken) {
    trace.error = util::with_context(
        taken.error(), cat(definition.is_executor() ? "executor " : "policy ", definition.name));
    return util::fail(*trace.error);
  }
  return {};
}

RecordedRun run_all(const std::vector<std::shared_ptr<const PolicyDefinition>>& policies,
                    const std::vector<Json>& parameters, const Json& input, util::Result<>& outcome,
                    const std::stop_token& stop) {
  RecordedRun run;
  run.output = input;
  auto recorded = read_recorded(input);
  if (!recorded) {
    outcome = util::fail(recorded.error());
    return run;
  }
  Json common = recorded->parameters;
  for (std::size_t i = 0; i < policies.size() && outcome; ++i) {
    recorded->parameters = common;
    if (i < parameters.size() && !parameters[i].empty()) {
      recorded->parameters.update(parameters[i]);
    }
    outcome = run_one(*policies[i], *recorded, run, stop);
    recorded->state = Json();  // a recorded state is the first policy's
  }
  return run;
}

void compare(const Json& expected, const Json& actual, const std::string& pointer,
             std::vector<CaseDifference>& out) {
  if (expected.is_object() && actual.is_object()) {
    for (const auto& [key, value] : expected.items()) {
      std::string below = pointer;
      data::append_token(below, key);
      auto found = actual.find(key);
      compare(value, found == actual.end() ? Json() : *found, below, out);
    }
    return;
  }
  if (expected.is_array() && actual.is_array()) {
    for (std::size_t i = 0; i < std::max(expected.size(), actual.size()); ++i) {
      std::string below = pointer;
      data::append_token(below, i);
      compare(i < expected.size() ? expected[i] : Json(), i < actual.size() ? actual[i] : Json(),
              below, out);
    }
    return;
  }
  if (expected != actual) {
    out.push_back({pointer, expected, actual});
  }
}

}  // namespace

std::vector<CaseDifference> differences_from_expected(const Json& expected, const Json& actual) {
  std::vector<CaseDifference> out;
  compare(expected, actual, "", out);
  return out;
}

util::Result<RecordedRun> run_recorded(
    const std::vector<std::shared_ptr<const PolicyDefinition>>& policies, const Json& input,
    const std::stop_token& stop) {
  util::Result<> outcome;
  RecordedRun run = run_all(policies, {}, input, outcome, stop);
  if (!outcome) {
    return util::fail(outcome.error());
  }
  return run;
}

namespace {

/// Its policies, or its executor.
util::Result<> read_calls_of(const Json& document, PolicyCase& test) {
  const auto add = [&](const Json& entry) -> util::Result<> {
    std::string name(entry.is_string() ? entry.get<std::string>()
                                       : data::string_at(entry, {"name"}));
    if (name.empty()) {
      return util::fail(
          ErrorKind::invalid,
          cat("case ", test.name, test.executor ? ": its executor" : ": a policy", " has no name"));
    }
    test.policies.push_back({std::move(name), data::object_at(entry, {"parameters"})});
    return {};
  };
  if (const Json* executor = data::find_path(document, {"executor"})) {
    test.executor = true;
    KUBIST_CHECK(add(*executor));
  }
  if (const Json* single = data::find_path(document, {"policy"})) {
    KUBIST_CHECK(add(*single));
  }
  for (const Json& entry : data::array_at(document, {"policies"})) {
    KUBIST_CHECK(add(entry));
  }
  return test.executor && test.policies.size() > 1
             ? util::fail(ErrorKind::invalid,
                          cat("case ", test.name, " is of an executor and of policies"))
             : util::Result<>{};
}

}  // namespace

util::Result<PolicyCase> read_policy_case(const Json& document, const std::string& default_name) {
  PolicyCase test;
  test.name = data::string_at(document, {"name"}, default_name);
  KUBIST_CHECK(read_calls_of(document, test));
  test.input = data::object_at(document, {"input"});
  test.expected = document.is_object() ? document.value("expected", Json()) : Json();
  test.error = data::string_at(document, {"error"});
  if (test.policies.empty() || test.input.empty()) {
    return util::fail(ErrorKind::invalid,
                      cat("case ", test.name, " needs policy, policies or executor, and input"));
  }
  if (test.expected.is_null() == test.error.empty()) {
    return util::fail(ErrorKind::invalid,
                      cat("case ", test.name, " needs exactly one of expected and error"));
  }
  return test;
}

util::Result<CaseResult> run_policy_case(const PolicyCase& test, const PolicyCatalog& catalog,
                                         const std::string& ns, const std::stop_token& stop) {
  std::vector<std::shared_ptr<const PolicyDefinition>> policies;
  std::vector<Json> parameters;
  for (const auto& call : test.policies) {
    KUBIST_TRY(auto definition, catalog.find(ns, call.name));
    policies.push_back(std::move(definition));
    parameters.push_back(call.parameters);
  }
  util::Result<> outcome;
  RecordedRun run = run_all(policies, parameters, test.input, outcome, stop);
  CaseResult result;
  result.name = test.name;
  result.pos = test.pos;
  if (!test.error.empty()) {
    result.passed = !outcome && outcome.error().message.find(test.error) != std::string::npos;
    if (!result.passed) {
      result.message = outcome ? cat("expected an error with \"", test.error, "\", got none")
                               : cat("expected an error with \"", test.error,
                                     "\", got: ", outcome.error().message);
    }
  } else if (!outcome) {
    result.message = outcome.error().message;
  } else {
    result.differences = differences_from_expected(test.expected, run.output);
    result.passed = result.differences.empty();
    if (!result.passed) {
      const auto& first = result.differences.front();
      if (test.lookup) {
        result.pos = test.lookup(cat("/expected", first.pointer), data::At::key);
      }
      result.message = cat(result.differences.size(), " differences, the first at ",
                           first.pointer.empty() ? "the root" : first.pointer, ": expected ",
                           data::to_json(first.expected), ", got ", data::to_json(first.actual));
    }
  }
  result.trace = std::move(run.trace);
  return result;
}

}  // namespace kubist::engine
