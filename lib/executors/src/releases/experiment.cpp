#include <kubist/data/pointer.hpp>
#include <kubist/release/experiment_route.hpp>
#include <kubist/release/request.hpp>
#include <kubist/release/routes.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "keep/kinds.hpp"
#include "keep/managed.hpp"
#include "keep/traffic_place.hpp"
#include "releases/experiment_looks.hpp"
#include "releases/releases.hpp"

namespace kubist::executors {

using engine::Alignment;
using engine::Outcome;
using util::cat;

namespace {

/// Assigns the clients of a route to variants, and judges them. The route runs after it and shares
/// its requests; the next evaluation sees whether it has.
class ExperimentExecutor final : public ManagedExecutor {
 public:
  using ManagedExecutor::ManagedExecutor;
  // Else a broken policy would keep clients where they are, without a limit and whatever people
  // ask.
  bool aligns_without_policies() const override { return true; }

 private:
  // Its route lets go of the split by itself when it is gone.
  bool needs_finalizer() const override { return false; }
  util::Result<engine::Removal> remove_node(Work& /*work*/) override { return engine::Removal{}; }

  util::Result<Alignment> align_node(Work& work) override {
    KUBIST_TRY(const auto look, world().releases->experiment(work.node()));
    const auto judged = experiment::after_policies(look->plan, effective_object(work));
    const experiment::Plan& plan = judged ? *judged : look->plan;
    const util::Error* problem = judged ? work.context().policy_error : &judged.error();
    const auto before = experiment::read_progress(work.node().status(), plan);
    const engine::Node* route = look->route;
    if (before.state == experiment::State::pending && route != nullptr) {
      KUBIST_CHECK(experiment::check_route(plan, *route));
    }
    // A release may have begun in this very run.
    const experiment::Seen seen = experiment::see_route(
        work.node(), route,
        route != nullptr ? world().releases->override_of(route->key) : std::nullopt);
    const std::string request = release::pending_request(work.node());
    const auto asked = experiment::read_request(release::verb_of(request));
    const auto tick =
        experiment::tick(plan, before, seen, look->reading,
                         decision_of(work, problem, before.state), asked, work.context().now);
    Alignment alignment;
    alignment.status = experiment::to_json(tick.progress);
    if (auto given = experiment::override_of(work.node(), plan, tick.progress)) {
      if (problem != nullptr) {
        release::keep_present(route, *given);
      }
      world().releases->give(release::route_key(work.node(), plan.route), *std::move(given));
    }
    report(tick, problem, alignment);
    if (asked != experiment::Request::none) {
      alignment.handled_request =
          release::answered(request, tick.request_done, tick.progress.message,
                            cat("the experiment is ", to_string(before.state)));
    }
    return alignment;
  }

  /// Where its policies fail it goes on as it is, and does not begin.
  static std::optional<engine::Decision> decision_of(Work& work, const util::Error* problem,
                                                     experiment::State state) {
    std::optional<engine::Decision> decision = work.context().decision;
    if (problem == nullptr) {
      return decision;
    }
    if (!decision || decision->action < engine::Action::pause) {
      const Alignment why = engine::alignment_of(*problem);
      decision = engine::Decision{.reason = why.reason, .message = why.message};
    }
    if (state == experiment::State::pending) {
      decision->action = std::max(decision->action, engine::Action::pause);
    }
    return decision;
  }

  static void report(const experiment::Tick& tick, const util::Error* policy_error,
                     Alignment& alignment) {
    const experiment::Progress& progress = tick.progress;
    alignment.reason =
        progress.reason.empty() ? std::string(to_string(progress.state)) : progress.reason;
    alignment.message = progress.message;
    alignment.requeue_after = tick.look_again;
    alignment.needs_new_run = true;  // the route moves in between
    alignment.rolled_back = progress.state == experiment::State::aborted;
    alignment.outcome = progress.state == experiment::State::finished  ? Outcome::ready
                        : progress.state == experiment::State::aborted ? Outcome::stalled
                                                                       : Outcome::progressing;
    if (policy_error != nullptr && alignment.outcome == Outcome::progressing) {
      const Alignment failed = engine::alignment_of(*policy_error);
      alignment.outcome = failed.outcome;
      alignment.reason = failed.reason;
      alignment.message = failed.message;
      alignment.error = *policy_error;
    }
  }
};

}  // namespace

std::shared_ptr<ManagedExecutor> make_experiment_executor(World& world) {
  return std::make_shared<ExperimentExecutor>(world);
}

}  // namespace kubist::executors
