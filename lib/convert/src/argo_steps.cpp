#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "argo.hpp"

namespace kubist::convert {

using util::cat;

namespace {

constexpr std::int64_t k_all = 100;

/// The steps of Steps, and how long the longest weight waits.
class StepList {
 public:
  StepList(Analyses& analyses, Release& release) : m_analyses(analyses), m_release(release) {}

  void add(const Fields& step) {
    if (step.has("setWeight")) {
      set_weight(step);
    } else if (m_weight == k_all) {
      behind_all(step);
    } else if (step.has("setHeaderRoute") || step.has("setMirrorRoute")) {
      const char* kind = step.has("setHeaderRoute") ? "setHeaderRoute" : "setMirrorRoute";
      m_routed = true;
      m_steps.push_back({{kind, step.any(kind)}});
    } else if (step.has("pause")) {
      pause(step);
    } else if (step.has("analysis")) {
      analysis(step);
    } else if (step.has("experiment") || step.has("plugin")) {
      step.lost(step.has("plugin") ? "plugin" : "experiment",
                "it is no step of a release, which waits for a person in its place");
      push("pause", Json::object());
    }  // all else reads as lost
  }

  /// An analysis that runs all the time is one at each weight, before the step's own waits.
  void at_each_weight(const Json& analysis) {
    Json all = Json::array();
    for (Json& step : m_steps) {
      const auto weight = data::int_at(step, {"setWeight"}, 0);
      all.push_back(std::move(step));
      if (weight > 0 && weight < k_all) {
        all.push_back({{"analysis", analysis}});
      }
    }
    m_steps = std::move(all);
  }

  bool has_weights() const { return m_weight >= 0; }
  Json take() { return std::move(m_steps); }
  std::int64_t longest() const { return m_longest; }

 private:
  void set_weight(const Fields& step) {
    const auto weight = step.number("setWeight").value_or(-1);
    if (weight <= m_weight || weight > k_all) {
      step.lost("setWeight", "the weights of a release rise to 100, so the step is left out");
      return;
    }
    m_weight = weight;
    m_waits = 0;
    m_steps.push_back({{"setWeight", weight}});
  }

  /// Argo begins at 0 % where a list does not begin with a weight.
  void push(const char* kind, Json value) {
    if (m_weight < 0) {
      m_weight = 0;
      m_steps.push_back({{"setWeight", 0}});
    }
    m_steps.push_back({{kind, std::move(value)}});
  }

  void wait(std::int64_t seconds) {
    m_waits += seconds;
    m_longest = std::max(m_longest, m_waits);
  }

  void pause(const Fields& step) {
    const std::string duration = step.at("pause").duration("duration");
    wait(seconds_of(duration));
    push("pause", duration.empty() ? Json::object() : Json{{"duration", duration}});
  }

  void analysis(const Fields& step) {
    std::int64_t seconds = 0;
    Json read = m_analyses.step(step.at("analysis"), seconds);
    if (read.is_null()) {
      step.note("analysis", "no metric of it is left: the release waits for a person instead");
      push("pause", Json::object());
      return;
    }
    if (m_weight <= 0 && !m_routed) {
      step.note("analysis",
                "at 0 % the canary has no requests, and a window without any says "
                "nothing: set a weight, setMirrorRoute or setHeaderRoute before");
    }
    wait(seconds);
    push("analysis", std::move(read));
  }

  void behind_all(const Fields& step) {
    const std::string time = step.at("pause").duration("duration");
    if (!time.empty()) {
      m_release.spec["bake"] = time;
    } else {
      step.lost("behind 100 % there are no steps, only the time spec.bake");
    }
  }

  Analyses& m_analyses;
  Release& m_release;
  Json m_steps = Json::array();
  std::int64_t m_weight = -1, m_waits = 0, m_longest = 0;
  bool m_routed = false;
};

}  // namespace

void read_steps(const Fields& canary, Analyses& analyses, std::optional<std::int64_t> deadline,
                Release& release) {
  StepList list(analyses, release);
  for (const Fields& step : canary.list("steps")) {
    list.add(step);
  }
  const Fields background = canary.at("analysis");
  const auto judges = background ? analyses.judges(background) : Analyses::Judges();
  if (!judges.rest.is_null()) {
    list.at_each_weight(judges.rest);
  }
  if (list.has_weights()) {
    add_policy(release, "Steps", {{"steps", list.take()}});
  } else {
    add_policy(release, "BlueGreen", Json::object());
    if (!judges.rest.is_null()) {
      canary.note("analysis", "some of its metrics need steps: the release has none");
    }
  }
  for (const Json& judge : judges.policies) {
    add_policy(release, "Metric", judge);
  }
  if (judges.lost) {
    canary.note("analysis", "no metric of it is left: a person approves each weight instead");
    add_policy(release, "Approval", Json::object());
  }
  set_hold_limit(release, deadline, list.longest());
}

}  // namespace kubist::convert
