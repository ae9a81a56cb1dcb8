#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/release/plan.hpp>
#include <kubist/traffic/condition.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

namespace kubist::release {

using data::Json;
using util::cat;
using util::ErrorKind;

namespace {

util::Result<> read_time(const Json& spec, std::string_view field, std::chrono::seconds least,
                         std::chrono::seconds& time) {
  const std::string_view text = data::string_at(spec, {field});
  if (text.empty()) {
    return {};
  }
  const auto read = util::parse_duration(text);
  if (!read || *read < least) {
    return util::fail(ErrorKind::invalid, cat("spec.", field, ": \"", text, "\" is no duration of ",
                                              least.count(), " s or more"));
  }
  time = std::chrono::ceil<std::chrono::seconds>(*read);
  return {};
}

util::Result<std::vector<int>> read_weights(const Json& spec) {
  const Json* given = data::find_path(spec, {"weights"});
  if (given == nullptr || given->empty()) {
    return std::vector<int>{5, 10, 25, 50, 100};
  }
  std::vector<int> weights;
  for (const Json& weight : *given) {
    const auto value = weight.is_number_integer() ? weight.get<std::int64_t>() : -1;
    if (value < 0 || value > 100 || (!weights.empty() && value <= weights.back())) {
      return util::fail(ErrorKind::invalid,
                        cat("spec.weights: ", weight.dump(),
                            " is out of order: percents that rise, from 0 to 100"));
    }
    weights.push_back(static_cast<int>(value));
  }
  if (weights.back() != 100) {
    weights.push_back(100);
  }
  return weights;
}

util::Result<> read_waves(const Json& spec, Plan& plan) {
  plan.in_waves = data::string_at(spec, {"order"}) == "waves";
  std::set<std::string> known;
  for (const Json& wave : data::array_at(spec, {"waves"})) {
    std::vector<std::string> clusters;
    for (const Json& name : data::array_at(wave, {"virtualClusters"})) {
      clusters.push_back(name.is_string() ? name.get<std::string>() : "");
      if (!known.insert(clusters.back()).second) {
        return util::fail(ErrorKind::invalid,
                          cat("spec.waves: ", clusters.back(), " is in more than one place"));
      }
    }
    plan.waves.push_back(std::move(clusters));
  }
  if (!plan.waves.empty() && !plan.in_waves) {
    return util::fail(ErrorKind::invalid, "spec.waves needs order: waves");
  }
  return {};
}

// Policies may write it, too, and no schema reads that.
util::Result<> read_affinity(const Json& spec, Plan& plan) {
  const Json* given = data::find_path(spec, {"sessionAffinity"});
  if (given == nullptr) {
    return {};
  }
  constexpr const char* k_word =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
  plan.cookie = data::string_at(*given, {"cookieName"});
  if (plan.cookie.empty() || plan.cookie.find_first_not_of(k_word) != std::string::npos) {
    return util::fail(ErrorKind::invalid,
                      cat("spec.sessionAffinity.cookieName: \"", util::printable(plan.cookie),
                          "\" is no name of letters, digits, -, _ and ."));
  }
  const auto age = data::int_at(*given, {"maxAge"}, plan.cookie_age.count());
  if (age < 1) {
    return util::fail(ErrorKind::invalid,
                      cat("spec.sessionAffinity.maxAge: ", age, " is not 1 s or more"));
  }
  plan.cookie_age = std::chrono::seconds(age);
  return {};
}

}  // namespace

util::Result<Plan> read_plan(const Json& canary_release) {
  const Json& spec = data::object_at(canary_release, {"spec"});
  Plan plan;
  plan.destination = data::string_at(spec, {"destination"});
  plan.stable = data::string_at(spec, {"stable"});
  plan.canary = data::string_at(spec, {"canary"});
  if (plan.stable == plan.canary) {
    return util::fail(ErrorKind::invalid,
                      cat("spec.canary: \"", plan.canary, "\" is the stable version already"));
  }
  for (const Json& route : data::array_at(spec, {"routes"})) {
    plan.routes.push_back(route.is_string() ? route.get<std::string>() : "");
  }
  plan.match = data::string_at(spec, {"match"});
  if (const Json* mirror = data::find_path(spec, {"mirror"})) {
    plan.mirror = traffic::read_copies(*mirror);
  }
  KUBIST_TRY(plan.weights, read_weights(spec));
  KUBIST_CHECK(read_waves(spec, plan));
  KUBIST_CHECK(read_affinity(spec, plan));
  KUBIST_CHECK(read_time(spec, "interval", std::chrono::seconds(1), plan.interval));
  KUBIST_CHECK(read_time(spec, "bake", std::chrono::seconds(0), plan.bake));
  KUBIST_CHECK(read_time(spec, "holdLimit", std::chrono::seconds(1), plan.hold_limit));
  return plan;
}

util::Result<Plan> paced(const Plan& plan, const Json& spec) {
  KUBIST_TRY(Plan paced, read_plan({{"spec", spec}}));
  if (const auto match = traffic::parse_condition(paced.match); !match) {
    return util::fail(util::with_context(match.error(), "spec.match"));
  }
  if (const auto match = traffic::parse_condition(paced.mirror.match); !match) {
    return util::fail(util::with_context(match.error(), "spec.mirror.match"));
  }
  paced.destination = plan.destination;
  paced.stable = plan.stable;
  paced.canary = plan.canary;
  paced.routes = plan.routes;
  return paced;
}

int next_weight(const Plan& plan, int weight) {
  const auto next = std::upper_bound(plan.weights.begin(), plan.weights.end(), weight);
  return next == plan.weights.end() ? 100 : *next;
}

}  // namespace kubist::release
