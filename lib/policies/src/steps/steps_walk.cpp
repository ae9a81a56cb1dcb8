#include "steps/steps_walk.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/release/window.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "steps/approvals.hpp"
#include "steps/steps_analysis.hpp"
#include "steps/steps_calls.hpp"

namespace kubist::policies {

using engine::Action;
using std::chrono::seconds;
using util::cat;
using Outcome = WindowCheck::Outcome;

namespace {

/// How soon a job that is under way is looked at again.
constexpr seconds k_job_look{2};

/// The steps at the present weight, and how far they are.
class Walk {
 public:
  Walk(Json& list, const ReleaseView& view, const release::Plan& plan, const Stage& stage)
      : m_list(list), m_view(view), m_plan(plan), m_stage(stage) {
    read_kept();
  }

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
  void read_kept() {
    const auto attempt = data::int_at(m_list["items"][0], {"status", "attempt"}, 1);
    m_kept = state_of(m_list);
    const auto step = data::int_at(m_kept, {"step"}, -1);
    m_stands = data::int_at(m_kept, {"attempt"}) == attempt &&
               data::int_at(m_kept, {"weight"}) == step_key(m_view) && step >= 0 &&
               step <= static_cast<std::int64_t>(m_stage.steps.size());
    if (!m_stands) {
      m_kept = {{"attempt", attempt},
                {"weight", step_key(m_view)},
                {"step", 0},
                {"since", util::format_time(*m_view.observed_at)}};
    }
  }

  void begin(std::size_t place) {
    m_stands = false;
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
      case Step::Kind::job:
        return call(step);
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

  /// Nothing is called for before the state says that the release has come to the step, nor while
  /// a person has paused it.
  bool is_due() const {
    const auto again = util::parse_time(data::string_at(m_kept, {"again"}));
    return m_stands && (m_view.state == "Progressing" || m_view.state == "Waiting") &&
           (!again || m_view.now >= *again);
  }

  /// Calls once at this step, and again only after it was refused or could not be reached.
  bool call(const Step& step) {
    const bool due = is_due();
    const Json* answer =
        due ? data::find_path(m_list, {"functionConfig", "answers", step.name}) : nullptr;
    if (due && answer == nullptr) {
      engine::PolicyCall call = step.call;
      call.name = step.name;
      call.step = static_cast<std::int64_t>(place());
      call.failed = data::count_at(m_kept, {"failed"});
      m_list["functionConfig"]["status"]["calls"].push_back(engine::to_json(call));
    }
    const CallCheck check = check_call(step, answer);
    if (check.outcome == CallCheck::Outcome::passed) {
      return true;
    }
    if (check.outcome == CallCheck::Outcome::pending &&
        check.reason == engine::k_reason_job_running) {
      set_requeue(m_list, k_job_look);
      decide(m_list, Action::hold, check.reason, check.message);
      return false;
    }
    if (check.outcome != CallCheck::Outcome::pending) {
      m_kept["why"] = check.reason;
      m_kept["said"] = check.message;
      m_kept["again"] = util::format_time(m_view.now + m_plan.interval);
    }
    if (check.outcome == CallCheck::Outcome::refused && !step.waits) {
      const int failed = data::count_at(m_kept, {"failed"}) + 1;
      m_kept["failed"] = failed;
      if (failed > step.retries) {
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
    const auto add = [&](std::string_view which, bool seen) {
      const int sum = data::count_at(m_kept, {"metrics", metric.name, which}) + (seen ? 1 : 0);
      data::set_path(m_kept, {"metrics", metric.name, which}, sum);
      return sum;
    };
    const int passed = add("passed", check.outcome == Outcome::pass);
    const int failed = add("failed", check.outcome == Outcome::fail);
    const int unclear = add("inconclusive", check.outcome == Outcome::inconclusive);
    m_kept["said"] = check.message;
    if (metric.dry_run) {
      return true;
    }
    if (metric.failure_limit && failed > *metric.failure_limit) {
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
  bool m_stands = false;  ///< the state that came in says that it is at this step
  bool m_ended = false;
};

}  // namespace

std::size_t walk_steps(Json& list, const ReleaseView& view, const release::Plan& plan,
                       const Stage& stage) {
  Walk walk(list, view, plan, stage);
  walk.run();
  return walk.place();
}

}  // namespace kubist::policies
