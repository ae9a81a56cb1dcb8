#include "steps/steps_plan.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "policy/step_fields.hpp"
#include "steps/steps_analysis.hpp"
#include "steps/steps_calls.hpp"
#include "steps/steps_refused.hpp"
#include "steps/steps_routes.hpp"

namespace kubist::policies {

using util::cat;

namespace {

constexpr std::array<std::string_view, 7> k_steps{
    "setWeight", "pause", "analysis", "setHeaderRoute", "webhook", "setMirrorRoute", "job"};

util::Result<Step> read_pause(const Json& given, const std::string& where, const Place& place) {
  static constexpr std::array<std::string_view, 1> k_pause{"duration"};
  KUBIST_CHECK(check_fields(given, k_pause, where, place));
  Step step;
  KUBIST_TRY(step.duration, read_time(given, "duration", where, place));
  return step;
}

/// One entry of the list: the name of its step, and what it says.
struct Entry {
  std::string kind;
  const Json& value;
  std::string where;  ///< in errors: "steps[2].pause"
  Place place;
};

util::Result<Entry> read_entry(const Json& given, std::size_t i, const Place& place) {
  const std::string where = cat("steps[", i, ']');
  KUBIST_CHECK(check_refused(given, where, place));
  KUBIST_CHECK(check_fields(given, k_steps, where, place));
  if (given.size() != 1) {
    const std::vector<std::string> kinds(k_steps.begin(), k_steps.end());
    return place.fail(cat(where, " must be one of ", util::join(kinds, ", ")));
  }
  const std::string& kind = given.begin().key();
  return Entry{kind, given.begin().value(), cat(where, '.', kind), place / kind};
}

util::Result<> add_step(const Entry& entry, std::vector<Step>& steps) {
  const auto& [kind, value, where, place] = entry;
  if (kind == "analysis") {
    KUBIST_TRY(auto read, read_analysis(value, where, place));
    std::move(read.begin(), read.end(), std::back_inserter(steps));
    return {};
  }
  KUBIST_TRY(auto step, kind == "pause"     ? read_pause(value, where, place)
                        : kind == "webhook" ? read_webhook(value, where, place)
                        : kind == "job"     ? read_job(value, where, place)
                                            : read_route(kind, value, where, place));
  steps.push_back(std::move(step));
  return {};
}

util::Result<> add_weight(const Entry& entry, std::vector<Stage>& stages) {
  const std::int64_t weight = data::int_at(entry.value, {}, -1);
  if (weight < 0 || weight > 100 || (!stages.empty() && weight <= stages.back().weight)) {
    return entry.place.fail(cat(entry.where, ": ", entry.value.dump(),
                                " is out of order: percents that rise, from 0 to 100"));
  }
  stages.push_back({static_cast<int>(weight), {}});
  return {};
}

}  // namespace

util::Result<std::vector<Stage>> read_steps(const Json& steps, const Place& place) {
  std::vector<Stage> stages;
  std::vector<Step> before;  // routes that begin with the first weight
  for (std::size_t i = 0; i < steps.size(); ++i) {
    KUBIST_TRY(const Entry entry, read_entry(steps[i], i, place / i));
    if (entry.kind == "setWeight") {
      KUBIST_CHECK(add_weight(entry, stages));
      stages.back().steps.swap(before);
      continue;
    }
    if (stages.empty() && is_route(entry.kind)) {
      KUBIST_TRY(auto step, read_route(entry.kind, entry.value, entry.where, entry.place));
      before.push_back(std::move(step));
      continue;
    }
    if (stages.empty() || stages.back().weight == 100) {
      return entry.place.fail(cat(
          entry.where, stages.empty() ? " stands before the first setWeight: a policy Approval or "
                                        "TimedWindow gates the beginning"
                                      : " stands behind 100 %: spec.bake is the time there"));
    }
    KUBIST_CHECK(add_step(entry, stages.back().steps));
  }
  if (stages.empty()) {
    return place.fail("steps: there is no setWeight");
  }
  return stages;
}

engine::Queries queries_of_steps(const Json& steps) {
  engine::Queries all;
  const auto stages = read_steps(steps);
  for (const Stage& stage : stages ? *stages : std::vector<Stage>()) {
    for (const Step& step : stage.steps) {
      if (step.kind == Step::Kind::analysis) {
        all.emplace("window", engine::WindowQuery{});
      }
      for (const AnalysisMetric& metric : step.metrics) {
        all.merge(queries_of(metric));
      }
    }
  }
  return all;
}

Json steps_schema() {
  return {{"type", "object"},
          {"required", {"steps"}},
          {"properties",
           {{"steps",
             {{"type", "array"},
              {"minItems", 1},
              {"maxItems", 100},
              {"description",
               "The steps in order, each of one of these forms. `{setWeight: PERCENT}`. `{pause: "
               "{duration: 10m}}`, or `{pause: {}}` until a person goes on. `{analysis: {metrics, "
               "initialDelay, dryRun}}`. `{setHeaderRoute: {name, match: [{headerName, "
               "headerValue: {exact: VALUE}}]}}`. `{setMirrorRoute: {name, percentage, match}}`. "
               "`{webhook: {name, url, timeout, metadata, retries, type}}`. `{job: {name, image, "
               "command, args, env, resources, imagePullSecrets, timeout, retries}}`."},
              {"items", {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}}}}}}}};
}

}  // namespace kubist::policies
