#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/policies/steps.hpp>
#include <kubist/release/plan.hpp>
#include <kubist/release/window.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "approvals.hpp"
#include "steps_plan.hpp"
#include "steps_routes.hpp"
#include "steps_webhook.hpp"

namespace kubist::policies {

using engine::Action;
using std::chrono::seconds;
using util::cat;
using Outcome = WindowCheck::Outcome;

namespace {

constexpr const char* k_doc =
    "Steps in order, as Argo Rollouts writes them. setWeight is a weight of the release; pause "
    "waits for\n"
    "its duration, or without one until `kubist canary resume` or an Approval of the next weight; "
    "analysis\n"
    "judges each window by its metrics: a thresholdRange (see Metric), or successCondition and\n"
    "failureCondition (see Expression), `count` windows each; more than failureLimit that fail "
    "take "
    "the\n"
    "release back, more than inconclusiveLimit that cannot be told pause it. dryRun metrics decide "
    "nothing.\n"
    "webhook posts to a URL as Flagger does (which spec.allow.webhooks must allow); 2xx goes on, "
    "refused\n"
    "more often than `retries` takes the release back.\n"
    "Windows are as long as the release's interval. Other steps and fields are refused.";

Json pace(const std::vector<Stage>& stages, const release::Plan& plan) {
  Json weights = Json::array();
  seconds longest{0};
  for (const Stage& stage : stages) {
    weights.push_back(stage.weight);
    seconds pauses{0};
    for (const Step& step : stage.steps) {
      pauses += step.duration.value_or(seconds(0)) + step.initial_delay;
    }
    longest = std::max(longest, pauses);
  }
  // A pause is no lack of a decision.
  return {{"weights", weights}, {"holdLimit", util::go_duration(plan.hold_limit + longest)}};
}

/// The steps at the present weight, and how far they are.
class Walk {
 public:
  Walk(Json& list, const ReleaseView& view, const release::Plan& plan, const Stage& stage)
      : m_list(list), m_view(view), m_plan(plan), m_stage(stage), m_kept(read_kept()) {}

  /// How far it is.
  std::size_t place() const { return static_cast<std::size_t>(data::int_at(m_kept, {"step"})); }

  void run() {
    while (place() < m_stage.steps.size() && is_done(m_stage.steps[place()])) {
      begin(place() + 1);
    }
    m_list["functionConfig"]["status"]["state"] = m_kept;
    if (place() == m_stage.steps.size()) {
      decide(m_list, Action::advance, "StepsDone",
             cat("all steps at ", m_view.weight, " % are done"));
    }
  }

 private:
  Json read_kept() {
    const auto attempt = data::int_at(m_list["items"][0], {"status", "attempt"}, 1);
    Json kept = m_list["functionConfig"].value("state", Json::object());
    if (data::int_at(kept, {"attempt"}) != attempt ||
        data::int_at(kept, {"weight"}) != step_key(m_view)) {
      kept = {{"attempt", attempt},
              {"weight", step_key(m_view)},
              {"step", 0},
              {"since", util::format_time(*m_view.observed_at)}};
    }
    return kept;
  }

  void begin(std::size_t place) {
    m_kept = {{"attempt", m_kept["attempt"]},
              {"weight", step_key(m_view)},
              {"step", place},
              {"since", util::format_time(m_view.now)}};
  }

  std::chrono::nanoseconds since_begin() const {
    const auto since = util::parse_time(data::string_at(m_kept, {"since"}));
    return since ? m_view.now - *since : std::chrono::nanoseconds(0);
  }

  /// This step paused the release, and a person let it go on.
  bool was_resumed() const { return data::bool_at(m_kept, {"paused"}) && m_view.state != "Paused"; }
  std::string said() const { return std::string(data::string_at(m_kept, {"said"})); }

  bool hold_for(seconds time, const std::string& reason, const std::string& message) {
    const auto left = time - since_begin();
    if (left.count() <= 0) {
      return false;
    }
    set_requeue(m_list, std::chrono::ceil<seconds>(left));
    decide(m_list, Action::hold, reason, message);
    return true;
  }

  bool is_done(const Step& step) {
    switch (step.kind) {
      case Step::Kind::pause:
        return pause(step);
      case Step::Kind::analysis:
        return analysis(step);
      case Step::Kind::header:
      case Step::Kind::mirror:
        return true;  // it holds once it is passed
      case Step::Kind::webhook:
        return webhook(step);
    }
    return true;
  }

  /// Each true: the step is done.
  bool pause(const Step& step) {
    if (step.duration) {
      return !hold_for(*step.duration, "StepRunning",
                       cat(m_view.weight, " % for ", util::go_duration(*step.duration)));
    }
    const Consent consent = consent_to(m_list, m_view, next_weight(m_view, m_plan));
    if (consent.given || was_resumed()) {
      return true;
    }
    m_kept["paused"] = true;
    decide(m_list, Action::pause, "PausedByStep",
           cat("until it is resumed (kubist canary resume), or approved: ", consent.message));
    return false;
  }

  bool analysis(const Step& step) {
    if (was_resumed()) {  // it begins again
      begin(place());
    } else if (data::bool_at(m_kept, {"paused"})) {
      decide(m_list, Action::pause, "AnalysisInconclusive", said());
      return false;
    }
    if (hold_for(step.initial_delay, "InitialDelay",
                 cat("the analysis begins after ", util::go_duration(step.initial_delay)))) {
      return false;
    }
    const Json window = m_list["functionConfig"]["metrics"].value("window", Json::object());
    if (const std::string why(data::string_at(window, {"reason"})); !why.empty()) {
      const bool open = release::is_between(window);
      decide(m_list, Action::hold, open ? "Analysing" : why,
             open ? said() : std::string(data::string_at(window, {"message"})));
      return false;
    }
    const WindowValues values(m_list["functionConfig"]["metrics"], m_plan);
    bool done = true;
    for (const AnalysisMetric& metric : step.metrics) {
      done = take(metric, check_metric(metric, values)) && done;
      if (m_ended) {
        return false;
      }
    }
    if (!done) {
      decide(m_list, Action::hold, "Analysing", said());
    }
    return done;
  }

  /// Called by who gave the answer, once at this step, and again only after it was refused or could
  /// not be reached.
  bool webhook(const Step& step) {
    const CallCheck check =
        check_call(step, data::find_path(m_list, {"functionConfig", "metrics", step.query}));
    if (check.outcome == CallCheck::Outcome::passed) {
      return true;
    }
    if (check.outcome != CallCheck::Outcome::pending) {
      m_kept["why"] = check.reason;
      m_kept["said"] = check.message;
      m_kept["again"] = util::format_time(m_view.now + m_plan.interval);
    }
    if (check.outcome == CallCheck::Outcome::refused && !step.waits) {
      m_kept["failed"] = data::int_at(m_kept, {"failed"}) + 1;
      if (m_kept["failed"] > step.retries) {
        return end(Action::rollback, check.reason, check.message);
      }
    }
    const auto again = util::parse_time(data::string_at(m_kept, {"again"}));
    const auto left = again ? std::chrono::ceil<seconds>(*again - m_view.now) : seconds(1);
    set_requeue(m_list, std::max(left, seconds(1)));
    decide(m_list, Action::hold, std::string(data::string_at(m_kept, {"why"}, check.reason)),
           again ? said() : check.message);
    return false;
  }

  /// Counts a window by one metric; true: it has enough of them.
  bool take(const AnalysisMetric& metric, const WindowCheck& check) {
    Json& counts = m_kept["metrics"][metric.name];
    const auto add = [&](const char* which, bool seen) {
      counts[which] = data::int_at(counts, {which}) + (seen ? 1 : 0);
      return counts[which].get<std::int64_t>();
    };
    const auto passed = add("passed", check.outcome == Outcome::pass);
    const auto failed = add("failed", check.outcome == Outcome::fail);
    const auto unclear = add("inconclusive", check.outcome == Outcome::inconclusive);
    m_kept["said"] = check.message;
    if (metric.dry_run) {
      return true;
    }
    if (failed > metric.failure_limit) {
      return end(Action::rollback, "AnalysisFailed", check.message);
    }
    if (metric.inconclusive_limit && unclear > *metric.inconclusive_limit) {
      m_kept["paused"] = true;
      return end(Action::pause, "AnalysisInconclusive", check.message);
    }
    return passed + failed >= metric.count;
  }
  bool end(Action action, const std::string& reason, const std::string& message) {
    decide(m_list, action, reason, message);
    m_ended = true;
    return false;
  }

  Json& m_list;
  const ReleaseView& m_view;
  const release::Plan& m_plan;
  const Stage& m_stage;
  Json m_kept;
  bool m_ended = false;
};

/// How far it was at this weight when it was last live there.
std::size_t place_in(const Json& list, const ReleaseView& view) {
  const Json kept = list["functionConfig"].value("state", Json::object());
  const bool is_here =
      data::int_at(kept, {"weight"}) == step_key(view) &&
      data::int_at(kept, {"attempt"}) == data::int_at(list["items"][0], {"status", "attempt"}, 1);
  return is_here ? static_cast<std::size_t>(data::int_at(kept, {"step"})) : 0;
}

/// Header routes come to those that the release has by itself, a mirror route in place of its own.
void set_routes(Json& list, const std::vector<Stage>& stages, int weight, std::size_t place) {
  const std::string match = match_at(stages, weight, place);
  Json& spec = resource_of(list)["spec"];
  if (!match.empty()) {
    const std::string own(data::string_at(spec, {"match"}));
    spec["match"] = own.empty() ? match : cat(own, " or ", match);
  }
  if (Json mirror = mirror_at(stages, weight, place); !mirror.is_null()) {
    spec["mirror"] = std::move(mirror);
  }
}

util::Result<> apply(Json& list) {
  KUBIST_TRY(const ReleaseView view, read_release(list));
  KUBIST_TRY(const auto stages, read_steps(parameters_of(list)["steps"]));
  KUBIST_TRY(const release::Plan before, release::read_plan(list["items"][0]));
  resource_of(list)["spec"].update(pace(stages, before));
  KUBIST_TRY(const release::Plan plan, release::read_plan(list["items"][0]));
  if (is_over(view) || !is_live(list, view)) {
    set_routes(list, stages, view.weight, place_in(list, view));
    return {};
  }
  const auto stage = std::find_if(stages.begin(), stages.end(),
                                  [&](const Stage& each) { return each.weight == view.weight; });
  if (stage == stages.end()) {
    decide(list, Action::advance, "NoSuchWeight", cat("no step sets ", view.weight, " %"));
    return {};
  }
  Walk walk(list, view, plan, *stage);
  walk.run();
  set_routes(list, stages, view.weight, walk.place());
  return {};
}

}  // namespace

Builtin steps() {
  BuiltinText text{"Steps",
                   "Leads a canary through weights, pauses, analyses and webhooks in order.",
                   k_doc,
                   steps_schema(),
                   true,
                   {"CanaryRelease"},
                   {{"window", std::string(release::k_window_query)}}};
  text.queries = [](const Json& parameters) { return queries_of_steps(parameters["steps"]); };
  text.wants_approvals = true;
  return make_builtin(std::move(text), {"StepsPolicy"}, apply);
}

}  // namespace kubist::policies
