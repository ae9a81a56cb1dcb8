#include "simulated_release.hpp"

#include <algorithm>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/executors/catalog.hpp>
#include <kubist/release/plan.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/simulation/recording.hpp>
#include <kubist/simulation/release_objects.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "input.hpp"
#include "simulation_flags.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using util::cat;
using util::ErrorKind;
using util::Result;

/// --namespace, or default.
std::string simulated_namespace(const Arguments& arguments) {
  const std::string given = arguments.text("namespace");
  return given.empty() ? "default" : given;
}

/// What is in the files of -f; nothing where there is no -f.
Result<simulation::ReleaseObjects> read_release_objects(Context& context,
                                                        const Arguments& arguments) {
  if (!arguments.given("filename")) {
    return simulation::ReleaseObjects{};
  }
  const std::string ns = simulated_namespace(arguments);
  KUBIST_TRY(auto manifests, read_input(context, arguments));
  KUBIST_CHECK(check_input(manifests, nullptr, ns, context.stop()));
  const std::string name = arguments.words().empty() ? std::string() : arguments.words()[0];
  KUBIST_TRY(auto objects, simulation::pick_objects(std::move(manifests), ns, name));
  if (!objects.release && !(name.empty() && arguments.given("policy"))) {
    return util::fail(ErrorKind::invalid,
                      cat("there is no CanaryRelease ", name, name.empty() ? "" : " ", "in ",
                          util::join(arguments.list("filename"), ", ")),
                      "Without one, name a policy with --policy.");
  }
  return objects;
}

/// The policy of --policy, with those flags that are named as its parameters are.
Result<Json> policy_of(const Arguments& arguments, const engine::PolicyCatalog& catalog,
                       const std::string& ns) {
  const std::string name = arguments.text("policy");
  KUBIST_TRY(const auto definition, catalog.find(ns, name));
  Json parameters = Json::object();
  for (const char* flag : {"alpha", "beta", "tolerance", "budget"}) {
    if (arguments.given(flag) && data::find_path(definition->parameters, {"properties", flag})) {
      KUBIST_TRY(parameters[flag], number_of(arguments, flag));
    }
  }
  for (const std::string& pair : arguments.list("set")) {
    const auto sign = pair.find('=');
    if (sign == std::string::npos || sign == 0) {
      return util::fail(ErrorKind::usage,
                        cat("invalid value \"", pair, "\" for --set: expected NAME=VALUE"));
    }
    KUBIST_TRY(const auto value, data::read_document(pair.substr(sign + 1), cat("--set ", pair)));
    parameters[pair.substr(0, sign)] = value.value;
  }
  return Json{{"name", definition->name}, {"parameters", std::move(parameters)}};
}

std::string seconds_of(const Arguments& arguments, std::string_view flag) {
  return cat(std::chrono::ceil<std::chrono::seconds>(arguments.duration(flag)).count(), 's');
}

Result<Json> release_of_flags(const Arguments& arguments) {
  KUBIST_TRY(Json weights, percents_of(arguments));
  return Json{{"apiVersion", resources::k_kubist_api_version},
              {"kind", "CanaryRelease"},
              {"metadata", {{"name", "simulated"}, {"namespace", simulated_namespace(arguments)}}},
              {"spec",
               {{"destination", "simulated"},
                {"stable", "stable"},
                {"canary", "canary"},
                {"routes", {"simulated"}},
                {"weights", std::move(weights)},
                {"interval", seconds_of(arguments, "interval")},
                {"holdLimit", seconds_of(arguments, "hold-limit")}}}};
}

}  // namespace

long long evaluations_of(const Arguments& arguments) {
  const bool former = arguments.given("looks") && !arguments.given("evaluations");
  return arguments.number(former ? "looks" : "evaluations");
}

namespace {

/// What is good and bad, where flags say it.
Result<> read_bounds(const Arguments& arguments, simulation::Bounds& bounds) {
  if (arguments.given("tolerance")) {
    KUBIST_TRY(bounds.tolerance, number_of(arguments, "tolerance", k_percent));
  }
  if (arguments.given("budget")) {
    KUBIST_TRY(bounds.budget, number_of(arguments, "budget", k_percent));
  }
  return {};
}

Result<> set_traffic(const Arguments& arguments, const Json& release,
                     simulation::ReleaseSimulation& simulation) {
  KUBIST_TRY(const release::Plan plan, release::read_plan(release));
  constexpr std::chrono::seconds k_longest = std::chrono::days(3650);
  simulation.longest =
      std::min<std::chrono::seconds>(plan.interval * evaluations_of(arguments), k_longest);
  if (arguments.given("recorded")) {
    KUBIST_TRY(const auto recorded,
               simulation::read_recorded_traffic(arguments.text("recorded"),
                                                 arguments.text("namespace"), release));
    simulation.traffic = recorded.traffic;
    simulation.begins = recorded.begins;
  } else {
    KUBIST_TRY(const simulation::TrafficModel model, read_traffic(arguments));
    simulation.traffic = simulation::make_traffic(model, simulation.longest);
  }
  if (arguments.given("start")) {
    KUBIST_TRY(const auto start, util::parse_time(arguments.text("start")));
    simulation.begins = std::chrono::floor<std::chrono::seconds>(start);
    if (simulation.begins >= std::chrono::sys_days{std::chrono::year{2200} / 1 / 1}) {
      return util::fail(ErrorKind::usage, "--start is before the year 2200");
    }
  }
  return {};
}

bool is_within(long long number, long long most) { return number >= 1 && number <= most; }

Result<> check_size(const Arguments& arguments) {
  constexpr long long k_most = 1'000'000;
  if (!is_within(evaluations_of(arguments), k_most) ||
      (arguments.given("runs") && !is_within(arguments.number("runs"), k_most))) {
    return util::fail(ErrorKind::usage, "--evaluations and --runs are from 1 to 1000000");
  }
  return {};
}

Result<> check_flags(const Arguments& arguments) {
  KUBIST_CHECK(check_not_given(arguments,
                               {"weight", "final-weight", "step-windows", "past", "limit-success",
                                "minimum-success", "failed-checks"},
                               "goes with --test"));
  if (!arguments.given("policy")) {
    KUBIST_CHECK(check_not_given(arguments, {"set"}, "goes with --policy"));
  }
  if (arguments.given("filename") && !arguments.given("policy")) {
    KUBIST_CHECK(check_not_given(arguments, {"alpha", "beta"},
                                 "goes with --policy or --test: the release says it"));
  }
  if (arguments.given("filename")) {
    KUBIST_CHECK(check_not_given(arguments, {"steps", "interval", "hold-limit"},
                                 "and -f exclude each other: the release says it"));
  }
  if (arguments.given("recorded")) {
    KUBIST_CHECK(check_not_given(
        arguments, {"stable-success", "canary-success", "rps", "icc", "rising", "bad-from-step"},
        "and --recorded exclude each other: the recording says it"));
  }
  return check_size(arguments);
}

Result<Json> read_release(Context& context, const Arguments& arguments, SimulatedInput& input) {
  KUBIST_TRY(simulation::ReleaseObjects objects, read_release_objects(context, arguments));
  KUBIST_TRY(auto local, executors::read_local_config());
  const executors::Catalog definitions(std::move(local));
  input.catalog = std::make_unique<engine::PolicyCatalog>(definitions.build(objects.definitions));
  input.simulation.above = std::move(objects.above);
  input.simulation.routes = std::move(objects.routes);
  const bool own = objects.release.has_value();
  if (!own) {
    KUBIST_TRY(objects.release, release_of_flags(arguments));
  }
  Json& release = *objects.release;
  if (!own || arguments.given("policy")) {
    const std::string ns(data::string_at(release, {"metadata", "namespace"}));
    KUBIST_TRY(Json policy, policy_of(arguments, *input.catalog, ns));
    release["spec"]["policies"] = Json::array({std::move(policy)});
  }
  return std::move(release);
}

}  // namespace

Result<SimulatedInput> read_simulated_release(Context& context, const Arguments& arguments) {
  constexpr int k_runs = 1000;
  KUBIST_CHECK(check_flags(arguments));
  SimulatedInput input;
  simulation::ReleaseSimulation& simulation = input.simulation;
  KUBIST_TRY(Json release, read_release(context, arguments, input));
  KUBIST_CHECK(read_bounds(arguments, input.bounds));
  KUBIST_CHECK(set_traffic(arguments, release, simulation));
  simulation.release = std::make_shared<const Json>(std::move(release));
  simulation.catalog = input.catalog.get();
  simulation.approved = arguments.boolean("approved");
  simulation.runs = arguments.given("runs") ? static_cast<int>(arguments.number("runs")) : k_runs;
  simulation.seed = static_cast<std::uint64_t>(arguments.number("seed"));
  simulation.threads = static_cast<unsigned>(std::max(0LL, arguments.number("threads")));
  return input;
}

Result<std::string> recording_query(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const auto objects, read_release_objects(context, arguments));
  if (!objects.release) {
    return util::fail(ErrorKind::usage, "--print-query needs the release's file: -f FILE");
  }
  return simulation::query_to_record(arguments.text("namespace"), *objects.release);
}

}  // namespace kubist::cli
