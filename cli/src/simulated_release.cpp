#include "simulated_release.hpp"

#include <algorithm>
#include <charconv>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/executors/catalog.hpp>
#include <kubist/policies/statistical_policy.hpp>
#include <kubist/release/plan.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "input.hpp"
#include "recorded_traffic.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using util::cat;
using util::ErrorKind;
using util::Result;

/// The objects of -f that matter.
struct Files {
  std::optional<Json> release;
  std::vector<Json> definitions, routes;
  std::vector<std::shared_ptr<const Json>> above;
};

void take(Json object, const std::string& ns, const std::string& name, Files& files,
          std::vector<std::string>& releases) {
  const std::string kind(data::string_at(object, {"kind"}));
  if (data::string_at(object, {"metadata", "namespace"}).empty()) {
    object["metadata"]["namespace"] = ns;
  }
  if (kind == "CanaryRelease") {
    const std::string_view own = data::string_at(object, {"metadata", "name"});
    if (name.empty() || name == own) {
      releases.emplace_back(own);
      files.release = std::move(object);
    }
  } else if (kind == "PolicyDefinition") {
    files.definitions.push_back(std::move(object));
  } else if (kind == "ClusterPolicyDefinition") {
    data::erase_path(object, {"metadata", "namespace"});
    files.definitions.push_back(std::move(object));
  } else if (kind == "TrafficRoute") {
    files.routes.push_back(std::move(object));
  } else if (kind == "Project" || kind == "Root") {
    files.above.push_back(std::make_shared<const Json>(std::move(object)));
  }
}

std::string namespace_of(const Arguments& arguments) {
  const std::string given = arguments.text("namespace");
  return given.empty() ? "default" : given;
}

Result<Files> read_files(Context& context, const Arguments& arguments) {
  Files files;
  if (!arguments.given("filename")) {
    return files;
  }
  const std::string ns = namespace_of(arguments);
  KUBIST_TRY(auto manifests, read_input(context, arguments));
  KUBIST_CHECK(check_input(manifests, nullptr, ns, context.stop()));
  const std::string name = arguments.words().empty() ? std::string() : arguments.words()[0];
  std::vector<std::string> releases;
  for (resources::Manifest& manifest : manifests) {
    take(std::move(manifest.object), ns, name, files, releases);
  }
  if (releases.size() > 1) {
    return util::fail(ErrorKind::usage,
                      cat("there are several releases: ", util::join(releases, ", ")),
                      "Name the one to simulate.");
  }
  if (releases.empty() && !(name.empty() && arguments.given("policy"))) {
    return util::fail(ErrorKind::invalid,
                      cat("there is no CanaryRelease ", name, name.empty() ? "" : " ", "in ",
                          util::join(arguments.list("filename"), ", ")),
                      "Without one, name a policy with --policy.");
  }
  const Json* wanted =
      files.release ? data::find_path(*files.release, {"spec", "routes"}) : nullptr;
  std::erase_if(files.routes, [&](const Json& route) {
    const Json own(std::string(data::string_at(route, {"metadata", "name"})));
    return wanted == nullptr || std::find(wanted->begin(), wanted->end(), own) == wanted->end();
  });
  return files;
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
              {"metadata", {{"name", "simulated"}, {"namespace", namespace_of(arguments)}}},
              {"spec",
               {{"destination", "simulated"},
                {"stable", "stable"},
                {"canary", "canary"},
                {"routes", {"simulated"}},
                {"weights", std::move(weights)},
                {"interval", seconds_of(arguments, "interval")},
                {"holdLimit", seconds_of(arguments, "hold-limit")}}}};
}

/// What is good and bad: by flags, else as the first of the policies has it that has such words.
Result<> read_truth(const Arguments& arguments, const Json& release, SimulatedInput& input) {
  KUBIST_TRY(input.truth.tolerance, number_of(arguments, "tolerance", k_percent));
  KUBIST_TRY(input.truth.budget, number_of(arguments, "budget", k_percent));
  KUBIST_TRY(const release::Plan plan, release::read_plan(release));
  for (const int weight : plan.weights) {
    input.weights.push_back(weight * k_percent);
  }
  const std::string ns(data::string_at(release, {"metadata", "namespace"}));
  for (const auto& call : resources::policies_of(release)) {
    KUBIST_TRY(const auto definition, input.catalog->find(ns, call.name));
    if (definition->name != "Statistical" || input.statistical) {
      continue;
    }
    KUBIST_TRY(const Json parameters,
               engine::resolve_parameters(*definition, call.parameters, Json::object()));
    KUBIST_TRY(input.statistical, policies::statistical_parameters(parameters, plan, 1));
    if (!arguments.given("tolerance")) {
      input.truth.tolerance = input.statistical->metrics[0].tolerance;
    }
    if (!arguments.given("budget")) {
      input.truth.budget = input.statistical->budget;
    }
  }
  return {};
}

Result<> set_traffic(const Arguments& arguments, const Json& release, SimulatedInput& input) {
  policies::ReleaseSimulation& simulation = input.simulation;
  KUBIST_TRY(const release::Plan plan, release::read_plan(release));
  constexpr std::chrono::seconds k_longest = std::chrono::days(3650);
  simulation.longest =
      std::min<std::chrono::seconds>(plan.interval * arguments.number("looks"), k_longest);
  simulation.begins =
      std::chrono::sys_days{std::chrono::year{2026} / 1 / 5} + std::chrono::hours(12);
  if (arguments.given("recorded")) {
    KUBIST_TRY(const auto recorded, read_recorded_traffic(arguments, release));
    simulation.traffic = recorded.traffic;
    simulation.begins = recorded.begins;
  } else {
    KUBIST_TRY(const policies::TrafficModel model, read_traffic(arguments));
    simulation.traffic = policies::make_traffic(model, simulation.longest);
  }
  if (arguments.given("start")) {
    KUBIST_TRY(const auto start, util::parse_time(arguments.text("start")));
    simulation.begins = std::chrono::floor<std::chrono::seconds>(start);
    if (simulation.begins >= std::chrono::sys_days{std::chrono::year{2200} / 1 / 1}) {
      return util::fail(ErrorKind::usage, "--start is before the year 2200");
    }
  }
  input.truth.stable_rate = simulation.traffic->stable_rate();
  input.truth.canary_rate = simulation.traffic->canary_rate();
  return {};
}

bool is_within(long long number, long long most) { return number >= 1 && number <= most; }

Result<> check_size(const Arguments& arguments) {
  constexpr long long k_most = 1'000'000;
  if (!is_within(arguments.number("looks"), k_most) ||
      (arguments.given("runs") && !is_within(arguments.number("runs"), k_most))) {
    return util::fail(ErrorKind::usage, "--looks and --runs are from 1 to 1000000");
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
  KUBIST_TRY(Files files, read_files(context, arguments));
  KUBIST_TRY(auto local, executors::read_local_config());
  const executors::Catalog definitions(std::move(local));
  input.catalog = std::make_unique<engine::PolicyCatalog>(definitions.build(files.definitions));
  input.simulation.above = std::move(files.above);
  input.simulation.routes = std::move(files.routes);
  const bool own = files.release.has_value();
  if (!own) {
    KUBIST_TRY(files.release, release_of_flags(arguments));
  }
  Json& release = *files.release;
  release.erase("status");
  if (!own || arguments.given("policy")) {
    const std::string ns(data::string_at(release, {"metadata", "namespace"}));
    KUBIST_TRY(Json policy, policy_of(arguments, *input.catalog, ns));
    release["spec"]["policies"] = Json::array({std::move(policy)});
  }
  return std::move(release);
}

}  // namespace

Result<Json> percents_of(const Arguments& arguments) {
  Json weights = Json::array();
  for (const std::string& text : util::split(arguments.text("steps"), '-')) {
    const auto percent = util::parse_int(text);
    if (!percent) {
      return util::fail(ErrorKind::usage, cat("invalid value \"", text,
                                              "\" for --steps: expected percents like 5-25-100"));
    }
    weights.push_back(*percent);
  }
  return weights;
}

Result<double> number_of(const Arguments& arguments, std::string_view flag, double unit) {
  const std::string text = arguments.text(flag);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return util::fail(ErrorKind::usage,
                      cat("invalid value \"", text, "\" for --", flag, ": expected a number"));
  }
  return value * unit;
}

Result<> check_not_given(const Arguments& arguments, std::initializer_list<std::string_view> flags,
                         std::string_view why) {
  for (const std::string_view flag : flags) {
    if (arguments.given(flag)) {
      return util::fail(ErrorKind::usage, cat("--", flag, ' ', why));
    }
  }
  return {};
}

Result<policies::TrafficModel> read_traffic(const Arguments& arguments) {
  policies::TrafficModel traffic;
  KUBIST_TRY(const double stable, number_of(arguments, "stable-success", k_percent));
  KUBIST_TRY(const double canary, number_of(arguments, "canary-success", k_percent));
  traffic.stable_rate = 1 - stable;
  traffic.canary_rate = 1 - canary;
  KUBIST_TRY(traffic.requests_per_second, number_of(arguments, "rps"));
  KUBIST_TRY(traffic.correlation, number_of(arguments, "icc"));
  KUBIST_TRY(traffic.rising, number_of(arguments, "rising"));
  traffic.interval =
      std::chrono::duration_cast<std::chrono::milliseconds>(arguments.duration("interval"));
  traffic.past_windows = static_cast<int>(arguments.number("past"));
  const long long bad_from = arguments.number("bad-from-step");
  if (bad_from < 1) {
    return util::fail(ErrorKind::usage, "--bad-from-step counts from 1");
  }
  traffic.bad_from = static_cast<std::size_t>(bad_from - 1);
  if (auto checked = policies::check_traffic(traffic); !checked) {
    checked.error().kind = ErrorKind::usage;
    return util::fail(checked.error());
  }
  return traffic;
}

Result<SimulatedInput> read_simulated_release(Context& context, const Arguments& arguments) {
  constexpr int k_runs = 1000;
  KUBIST_CHECK(check_flags(arguments));
  SimulatedInput input;
  policies::ReleaseSimulation& simulation = input.simulation;
  KUBIST_TRY(Json release, read_release(context, arguments, input));
  KUBIST_CHECK(read_truth(arguments, release, input));
  KUBIST_CHECK(set_traffic(arguments, release, input));
  simulation.release = std::make_shared<const Json>(std::move(release));
  simulation.catalog = input.catalog.get();
  simulation.approved = arguments.boolean("approved");
  simulation.runs = arguments.given("runs") ? static_cast<int>(arguments.number("runs")) : k_runs;
  simulation.seed = static_cast<std::uint64_t>(arguments.number("seed"));
  simulation.threads = static_cast<unsigned>(std::max(0LL, arguments.number("threads")));
  return input;
}

Result<std::string> recording_query(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const Files files, read_files(context, arguments));
  if (!files.release) {
    return util::fail(ErrorKind::usage, "--print-query needs the release's file: -f FILE");
  }
  return query_to_record(arguments, *files.release);
}

}  // namespace kubist::cli
