#include <algorithm>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/release/experiment_plan.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/words.hpp>

namespace kubist::experiment {

using data::Json;
using util::cat;
using util::ErrorKind;

namespace {

constexpr util::Word<Assignment> k_assignments[] = {{Assignment::fixed, "Fixed"},
                                                    {Assignment::thompson, "Thompson"},
                                                    {Assignment::policies, "Policies"}};

util::Result<> read_time(const Json& spec, std::initializer_list<std::string_view> path,
                         std::chrono::seconds& time) {
  const std::string_view text = data::string_at(spec, path);
  if (text.empty()) {
    return {};
  }
  const auto read = util::parse_duration(text);
  if (!read || *read < std::chrono::seconds(1)) {
    return util::fail(ErrorKind::invalid, cat("spec.", *(path.end() - 1), ": \"", text,
                                              "\" is no duration of 1 s or more"));
  }
  time = std::chrono::ceil<std::chrono::seconds>(*read);
  return {};
}

util::Result<> unique(const Json& list, const char* field) {
  std::set<std::string_view> names;
  for (const Json& each : list) {
    if (!names.insert(data::string_at(each, {"name"})).second) {
      return util::fail(
          ErrorKind::invalid,
          cat("spec.", field, ": the name ", data::string_at(each, {"name"}), " is there twice"));
    }
  }
  return {};
}

util::Result<> read_assignment(const Json& experiment, Plan& plan) {
  const Json& given = data::object_at(experiment, {"spec", "assignment"});
  const std::string_view kind = data::string_at(given, {"kind"});
  plan.assignment = util::value_of(k_assignments, kind).value_or(Assignment::fixed);
  if (plan.assignment == Assignment::fixed) {
    return {};
  }
  const auto minimum = data::int_at(given, {"minimumPercent"}, plan.minimum_percent);
  const std::string uid(data::string_at(experiment, {"metadata", "uid"}));
  const Json* seed = data::find_path(given, {"seed"});
  plan.seed = seed != nullptr && seed->is_number_integer()
                  ? seed->get<std::uint64_t>()
                  : std::stoull(util::sha256_hex(uid).substr(0, 8), nullptr, 16);
  if (minimum < 0 || minimum > 100 / static_cast<std::int64_t>(plan.variants.size())) {
    return util::fail(ErrorKind::invalid,
                      cat("spec.assignment.minimumPercent: ", minimum, " % for each of ",
                          plan.variants.size(), " variants is more than 100 %, or less than 0"));
  }
  plan.minimum_percent = static_cast<int>(minimum);
  if (plan.test == Test::welch) {
    return util::fail(ErrorKind::invalid,
                      cat("spec.assignment.kind: ", kind,
                          " needs a test that holds at any time, and spec.test.kind is Welch"));
  }
  return {};
}

std::string hash_of(const Plan& plan) {
  Json counted = Json::array({plan.cookie, plan.rule});
  for (const Variant& variant : plan.variants) {
    counted.push_back(Json::array({variant.name, variant.destination, variant.version}));
  }
  for (const Goal& goal : plan.goals) {
    counted.push_back(goal.source);
  }
  return util::sha256_hex(counted.dump()).substr(0, 16);
}

}  // namespace

bool has_variant(const Plan& plan, std::string_view name) {
  return std::any_of(plan.variants.begin(), plan.variants.end(),
                     [&](const Variant& each) { return each.name == name; });
}

util::Result<Plan> read_plan(const Json& experiment) {
  const Json& spec = data::object_at(experiment, {"spec"});
  Plan plan;
  plan.route = data::string_at(spec, {"route"});
  plan.rule = data::string_at(spec, {"rule"});
  plan.cookie = data::string_at(spec, {"cookie", "name"});
  if (plan.cookie.empty()) {
    plan.cookie = cat("kubist-exp-", data::string_at(experiment, {"metadata", "name"}));
  }
  KUBIST_CHECK(read_time(spec, {"cookie", "maxAge"}, plan.max_age));
  KUBIST_CHECK(read_time(spec, {"interval"}, plan.interval));
  KUBIST_CHECK(read_time(spec, {"maxDuration"}, plan.max_duration));
  KUBIST_CHECK(unique(data::array_at(spec, {"variants"}), "variants"));
  KUBIST_CHECK(unique(data::array_at(spec, {"goals"}), "goals"));
  for (const Json& each : data::array_at(spec, {"variants"})) {
    plan.variants.push_back({std::string(data::string_at(each, {"name"})),
                             std::string(data::string_at(each, {"destination"})),
                             std::string(data::string_at(each, {"version"})),
                             data::count_at(each, {"port"}), data::int_at(each, {"weight"}, 1)});
  }
  for (const Json& each : data::array_at(spec, {"goals"})) {
    const bool mean = data::string_at(each, {"kind"}) == "Mean";
    plan.goals.push_back({std::string(data::string_at(each, {"name"})),
                          mean ? GoalKind::mean : GoalKind::conversion,
                          data::string_at(each, {"direction"}) != "Decrease", each});
  }
  if (plan.variants.size() < 2 || plan.goals.empty()) {
    return util::fail(ErrorKind::invalid, "spec needs two variants or more, and a goal");
  }
  plan.test = data::string_at(spec, {"test", "kind"}) == "Welch" ? Test::welch : Test::anytime;
  plan.alpha = data::number_at(spec, {"test", "alpha"}, plan.alpha);
  plan.samples = data::number_at(spec, {"test", "samples"}, plan.samples);
  plan.minimum_samples = data::number_at(spec, {"test", "minimumSamples"},
                                         std::min(plan.minimum_samples, plan.samples));
  if (plan.minimum_samples > plan.samples) {
    return util::fail(ErrorKind::invalid, "spec.test.minimumSamples: more than spec.test.samples");
  }
  KUBIST_CHECK(read_assignment(experiment, plan));
  plan.hash = hash_of(plan);
  return plan;
}

util::Result<Plan> after_policies(const Plan& before, const Json& experiment) {
  KUBIST_TRY(Plan plan, read_plan(experiment));
  if (plan.route != before.route || plan.hash != before.hash) {
    return util::fail(ErrorKind::invalid,
                      "its policies changed the route, the variants or the goals, which are read "
                      "before they run",
                      "Let them change interval, maxDuration, test and assignment only.",
                      "PolicyNotApplicable");
  }
  return plan;
}

}  // namespace kubist::experiment
